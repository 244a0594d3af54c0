/** What is there: objects of the cluster, pods in trouble, the coordinator's own word. */
@org.jspecify.annotations.NullMarked
package io.forebay.operator.observe;

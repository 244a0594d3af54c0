/** What an administrator sets. */
@org.jspecify.annotations.NullMarked
package io.forebay.operator.config;

/** What is to be done next, and what the status says, from what is there. Pure: no client, no clock of its own. */
@org.jspecify.annotations.NullMarked
package io.forebay.operator.decide;

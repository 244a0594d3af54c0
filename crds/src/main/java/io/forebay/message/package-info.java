/**
 * What coordinator, workers and operator say to each other: plain records, JSON on the wire. Start at {@link
 * io.forebay.message.Messages}. No behaviour here.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.message;

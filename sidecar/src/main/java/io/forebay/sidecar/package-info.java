/**
 * The engine of Forebay. In the order in which a byte travels: {@code store} (S3, POSIX), {@code transfer}, {@code buffer},
 * {@code step}, {@code flush}, {@code commit}; beside the way {@code item}, {@code journal}, {@code records}, {@code link};
 * {@code worker} sees all stages of one buffer, {@code coordinator} all items of one job; {@code local} puts both into one process;
 * {@code cli} is the command.
 */
@org.jspecify.annotations.NullMarked
package io.forebay.sidecar;

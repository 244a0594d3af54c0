package io.forebay.bench.peer;

import io.forebay.bench.measure.Command;

/**
 * One way to do the work.
 *
 * @param ours Forebay; exactly one of a contest is
 * @param every runs in each round, or, as 5, in each fifth: for peers so slow that they would eat the others' time
 */
public record Contender(String name, Command command, boolean ours, int every) {
    public Contender {
        if (every < 1) {
            throw new IllegalArgumentException("every " + every + " rounds");
        }
    }

    public static Contender peer(String name, Command command) {
        return new Contender(name, command, false, 1);
    }

    /** Only to give an idea: not in each round. */
    public static Contender slow(String name, Command command) {
        return new Contender(name, command, false, 5);
    }

    public static Contender forebay(Command command) {
        return new Contender("forebay", command, true, 1);
    }
}

package io.forebay.bench.peer;

import io.forebay.bench.measure.Command;
import io.forebay.bench.result.Outcome;

/**
 * One way to do the work.
 *
 * @param once runs in the first round only: a peer so slow that it would eat the others' time, to give an idea
 */
public record Contender(String name, Command command, boolean once) {
    public static Contender peer(String name, Command command) {
        return new Contender(name, command, false);
    }

    public static Contender slow(String name, Command command) {
        return new Contender(name, command, true);
    }

    public static Contender forebay(Command command) {
        return new Contender(Outcome.OURS, command, false);
    }

    public boolean ours() {
        return name.equals(Outcome.OURS);
    }
}

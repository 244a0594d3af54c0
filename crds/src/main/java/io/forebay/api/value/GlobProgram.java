package io.forebay.api.value;

import java.util.ArrayList;
import java.util.List;

/**
 * A glob as a nondeterministic automaton (Thompson 1968): all possible states are followed at once, character by character, so
 * that no key and no pattern makes it go back.
 */
final class GlobProgram {
    private sealed interface Step {
        /** Consumes one character. */
        record Take(GlobToken token) implements Step {}

        /** Goes on at both places, consuming nothing. */
        record Fork(int first, int second) implements Step {}

        /** Goes on at {@code next}, consuming nothing. */
        record Jump(int next) implements Step {}

        /** Goes on only at the start of a component. */
        record AtComponent() implements Step {}

        record Accept() implements Step {}
    }

    private static final GlobToken SLASH = new GlobToken.Literal('/');

    private final Step[] steps;

    private GlobProgram(List<Step> steps) {
        this.steps = steps.toArray(Step[]::new);
    }

    static GlobProgram compile(List<GlobToken> tokens) {
        var out = new ArrayList<Step>();
        emit(tokens, out);
        out.add(new Step.Accept());
        return new GlobProgram(out);
    }

    private static void emit(List<GlobToken> tokens, List<Step> out) {
        for (var token : tokens) {
            switch (token) {
                case GlobToken.Literal _, GlobToken.AnyChar _, GlobToken.OneOf _ -> out.add(new Step.Take(token));
                case GlobToken.AnyRun _, GlobToken.AnyPath _ -> emitLoop(token, out);
                case GlobToken.AnyFolders _ -> {
                    // fork(loop '/', atComponent)
                    int fork = out.size();
                    out.add(new Step.Accept());
                    emitLoop(new GlobToken.AnyPath(), out);
                    out.add(new Step.Take(SLASH));
                    int jump = out.size();
                    out.add(new Step.Accept());
                    out.set(fork, new Step.Fork(fork + 1, out.size()));
                    out.add(new Step.AtComponent());
                    out.set(jump, new Step.Jump(out.size()));
                }
                case GlobToken.Either either -> emitEither(either, out);
            }
        }
    }

    /** here: fork(next, after)  next: take  jump here */
    private static void emitLoop(GlobToken body, List<Step> out) {
        int here = out.size();
        out.add(new Step.Fork(here + 1, here + 3));
        out.add(new Step.Take(body));
        out.add(new Step.Jump(here));
    }

    private static void emitEither(GlobToken.Either either, List<Step> out) {
        var ends = new ArrayList<Integer>();
        var branches = either.branches();
        for (int i = 0; i < branches.size(); i++) {
            boolean last = i == branches.size() - 1;
            int fork = out.size();
            if (!last) {
                out.add(new Step.Accept());
            }
            emit(branches.get(i), out);
            if (!last) {
                ends.add(out.size());
                out.add(new Step.Accept());
                out.set(fork, new Step.Fork(fork + 1, out.size()));
            }
        }
        for (int end : ends) {
            out.set(end, new Step.Jump(out.size()));
        }
    }

    boolean matches(String key) {
        var now = new States(steps.length);
        var next = new States(steps.length);
        add(now, 0, true);
        int i = 0;
        while (i < key.length() && now.size > 0) {
            int c = key.codePointAt(i);
            i += Character.charCount(c);
            next.clear();
            for (int k = 0; k < now.size; k++) {
                int at = now.members[k];
                if (steps[at] instanceof Step.Take(var token) && takes(token, c)) {
                    add(next, at + 1, c == '/');
                }
            }
            var swap = now;
            now = next;
            next = swap;
        }
        return now.contains(steps.length - 1);
    }

    private static boolean takes(GlobToken token, int c) {
        return switch (token) {
            case GlobToken.Literal literal -> literal.codePoint() == c;
            case GlobToken.AnyChar _, GlobToken.AnyRun _ -> c != '/';
            case GlobToken.AnyPath _ -> true;
            case GlobToken.OneOf oneOf -> oneOf.contains(c);
            case GlobToken.AnyFolders _, GlobToken.Either _ ->
                throw new IllegalStateException("not compiled: " + token);
        };
    }

    /** Adds a state and all that follow from it without a character; each once, so loops end. */
    private void add(States states, int start, boolean componentStart) {
        states.pending[0] = start;
        int pending = 1;
        while (pending > 0) {
            int at = states.pending[--pending];
            if (!states.add(at)) {
                continue;
            }
            switch (steps[at]) {
                case Step.Fork(int first, int second) -> {
                    states.pending[pending++] = second;
                    states.pending[pending++] = first;
                }
                case Step.Jump(int to) -> states.pending[pending++] = to;
                case Step.AtComponent _ -> {
                    if (componentStart) {
                        states.pending[pending++] = at + 1;
                    }
                }
                case Step.Take _, Step.Accept _ -> {}
            }
        }
    }

    /** A set of small numbers with constant-time add, test and clear (Briggs and Torczon 1993). */
    private static final class States {
        final int[] members;
        final int[] index;
        final int[] pending;
        int size;

        States(int capacity) {
            members = new int[capacity];
            index = new int[capacity];
            pending = new int[2 * capacity + 1];
        }

        boolean contains(int state) {
            int i = index[state];
            return i < size && members[i] == state;
        }

        boolean add(int state) {
            if (contains(state)) {
                return false;
            }
            members[size] = state;
            index[state] = size++;
            return true;
        }

        void clear() {
            size = 0;
        }
    }
}

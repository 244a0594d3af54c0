package io.forebay.api.value;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A glob as a nondeterministic automaton (Thompson 1968): all possible states are followed at once, character by character, so
 * that no key and no pattern makes it go back. Sets of states that were met before are remembered with what follows from them, so that
 * most characters cost one look into a table.
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

    /** A state is about 600 bytes; common patterns have a dozen. */
    private static final int MAX_STATES = 256;

    private final Step[] steps;
    private final Map<State, State> states = new ConcurrentHashMap<>();
    private final State start;

    private GlobProgram(List<Step> steps) {
        this.steps = steps.toArray(Step[]::new);
        var first = new StepSet(this.steps.length);
        add(first, 0, true);
        this.start = intern(first);
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
        var state = start;
        for (int i = 0; i < key.length() && state.members.length > 0; ) {
            int c = key.codePointAt(i);
            i += Character.charCount(c);
            state = next(state, c);
        }
        return state.accepting;
    }

    private State next(State state, int c) {
        if (c >= State.CACHED) {
            return compute(state, c);
        }
        var known = state.next[c];
        if (known == null) {
            known = compute(state, c);
            state.next[c] = known;
        }
        return known;
    }

    private State compute(State state, int c) {
        var after = new StepSet(steps.length);
        for (int at : state.members) {
            if (steps[at] instanceof Step.Take(var token) && takes(token, c)) {
                add(after, at + 1, c == '/');
            }
        }
        return intern(after);
    }

    /** One object per set, so that its cache fills; past the limit a new one each time: slower, and still right. */
    private State intern(StepSet set) {
        var members = Arrays.copyOf(set.members, set.size);
        Arrays.sort(members);
        var state = new State(members, set.contains(steps.length - 1));
        if (states.size() >= MAX_STATES) {
            return states.getOrDefault(state, state);
        }
        var other = states.putIfAbsent(state, state);
        return other == null ? state : other;
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

    /** Adds a step and all that follow from it without a character; each once, so loops end. */
    private void add(StepSet set, int first, boolean componentStart) {
        set.pending[0] = first;
        int pending = 1;
        while (pending > 0) {
            int at = set.pending[--pending];
            if (!set.add(at)) {
                continue;
            }
            switch (steps[at]) {
                case Step.Fork(int one, int other) -> {
                    set.pending[pending++] = other;
                    set.pending[pending++] = one;
                }
                case Step.Jump(int to) -> set.pending[pending++] = to;
                case Step.AtComponent _ -> {
                    if (componentStart) {
                        set.pending[pending++] = at + 1;
                    }
                }
                case Step.Take _, Step.Accept _ -> {}
            }
        }
    }

    /**
     * The steps that a key may be at after some characters, and where each next ASCII character leads. Threads fill the cache
     * without a lock: all would write the same, and what they write has final fields only.
     */
    private static final class State {
        static final int CACHED = 128;

        final int[] members;
        final boolean accepting;
        final @Nullable State[] next = new @Nullable State[CACHED];

        State(int[] members, boolean accepting) {
            this.members = members;
            this.accepting = accepting;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof State state && Arrays.equals(members, state.members);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(members);
        }
    }

    /** A set of small numbers with constant-time add and test (Briggs and Torczon 1993). */
    private static final class StepSet {
        final int[] members;
        final int[] index;
        final int[] pending;
        int size;

        StepSet(int capacity) {
            members = new int[capacity];
            index = new int[capacity];
            pending = new int[2 * capacity + 1];
        }

        boolean contains(int step) {
            int i = index[step];
            return i < size && members[i] == step;
        }

        boolean add(int step) {
            if (contains(step)) {
                return false;
            }
            members[size] = step;
            index[step] = size++;
            return true;
        }
    }
}

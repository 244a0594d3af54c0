package io.forebay.api.value;

import java.util.List;

/** One element of a parsed {@link Glob}. */
sealed interface GlobToken {
    /** The character itself. */
    record Literal(int codePoint) implements GlobToken {}

    /** {@code ?} */
    record AnyChar() implements GlobToken {}

    /** {@code *} */
    record AnyRun() implements GlobToken {}

    /** {@code **} */
    record AnyPath() implements GlobToken {}

    /** {@code **&#47;}: any characters and a slash, or, at the start of a component, nothing. */
    record AnyFolders() implements GlobToken {}

    /**
     * {@code [a-z]}, {@code [!a-z]}; '/' is never in it.
     *
     * @param ranges pairs of first and last code point, both inclusive
     */
    record OneOf(boolean negated, List<Range> ranges) implements GlobToken {
        public OneOf {
            ranges = List.copyOf(ranges);
        }

        boolean contains(int codePoint) {
            if (codePoint == '/') {
                return false;
            }
            boolean found = false;
            for (var range : ranges) {
                found |= codePoint >= range.first() && codePoint <= range.last();
            }
            return found != negated;
        }
    }

    /** Both ends inclusive. */
    record Range(int first, int last) {}

    /** <code>{a,b}</code> */
    record Either(List<List<GlobToken>> branches) implements GlobToken {
        public Either {
            branches = List.copyOf(branches);
        }
    }
}

package io.forebay.operator.decide;

import org.jspecify.annotations.Nullable;

/** Keeps a status small: it is stored with every change. */
final class Texts {
    private static final int LONGEST = 2000;

    private Texts() {}

    static @Nullable String cut(@Nullable String text) {
        return text == null || text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }
}

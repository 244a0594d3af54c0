package io.forebay.sidecar.store.s3;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/**
 * Times as HTTP tells them. Nearly all servers write {@code Sun, 06 Nov 1994 08:49:37 GMT} (RFC 9110, IMF-fixdate), which is taken apart
 * here: a DateTimeFormatter takes longer for it than all else that is done to the head of an answer. Pure.
 */
final class HttpDate {
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final int LENGTH = "Sun, 06 Nov 1994 08:49:37 GMT".length();
    private static final int SECONDS_PER_DAY = 86_400;

    private HttpDate() {}

    /** Seconds since 1970. @return -1: unreadable */
    static long epochSecond(String text) {
        long fixed = fixdate(text);
        if (fixed != -1) {
            return fixed;
        }
        try {
            return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text))
                    .getEpochSecond();
        } catch (DateTimeParseException e) {
            return -1;
        }
    }

    private static long fixdate(String text) {
        if (text.length() != LENGTH || !text.endsWith(" GMT") || !text.startsWith(", ", 3)) {
            return -1;
        }
        int month = MONTHS.indexOf(text.substring(8, 11));
        int day = number(text, 5, 7);
        int year = number(text, 12, 16);
        int hour = number(text, 17, 19);
        int minute = number(text, 20, 22);
        int second = number(text, 23, 25);
        if (month < 0
                || month % 3 != 0
                || year < 0
                || hour < 0
                || hour > 23
                || minute < 0
                || minute > 59
                || second < 0
                || second > 59
                || text.charAt(7) != ' '
                || text.charAt(11) != ' '
                || text.charAt(16) != ' '
                || text.charAt(19) != ':'
                || text.charAt(22) != ':') {
            return -1;
        }
        try {
            return LocalDate.of(year, month / 3 + 1, day).toEpochDay() * SECONDS_PER_DAY
                    + hour * 3600L
                    + minute * 60L
                    + second;
        } catch (DateTimeException e) {
            return -1; // no such day
        }
    }

    /** @return -1: not all are digits */
    private static int number(String text, int from, int to) {
        int n = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            n = 10 * n + c - '0';
        }
        return n;
    }
}

package io.forebay.sidecar.cli;

import io.forebay.api.value.StoreUri;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the user wrote for one end of a copy: a store's URI, or a local path. What is nearly a URI is no path: its data would go nowhere. */
final class CopyEnd {
    /** A path that says that it is one. */
    private static final Pattern PATH = Pattern.compile("[.]{0,2}/.*", Pattern.DOTALL);

    private static final Pattern NEARLY_URI = Pattern.compile(
            "(?<scheme>s3a?|s3n|lustre|file)(:|//)/*(?<rest>.*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private CopyEnd() {}

    /** @throws CliException 64: what would be right */
    static StoreUri uri(String text) throws CliException {
        try {
            if (!isPath(text)) {
                return StoreUri.parse(text);
            }
            return StoreUri.parse(
                    "file://" + Path.of(text).toAbsolutePath().normalize() + (text.endsWith("/") ? "/" : ""));
        } catch (IllegalArgumentException e) {
            throw new CliException(ForebayCommand.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /** @param hint what to do with a URI instead @throws CliException 64: it is a URI, or nearly one */
    static Path folder(String text, String hint) throws CliException {
        if (isPath(text)) {
            return Path.of(text);
        }
        throw new CliException(
                ForebayCommand.USAGE, "'" + text + "' is a store URI where a local folder is needed; " + hint);
    }

    /** @throws CliException 64: it is nearly a URI */
    private static boolean isPath(String text) throws CliException {
        if (text.isEmpty()) {
            throw new CliException(ForebayCommand.USAGE, "'' is neither a store URI nor a path");
        }
        if (PATH.matcher(text).matches()) {
            return true;
        }
        if (text.contains("://")) {
            return false;
        }
        var nearly = NEARLY_URI.matcher(text);
        if (nearly.matches()) {
            throw new CliException(
                    ForebayCommand.USAGE,
                    "'" + text + "' is no store URI; did you mean " + meant(nearly)
                            + "? A local folder of that name is written ./" + text);
        }
        return true;
    }

    private static String meant(Matcher nearly) {
        var scheme = nearly.group("scheme").toLowerCase(java.util.Locale.ROOT);
        return (scheme.startsWith("s3") ? "s3://" : scheme + ":///") + nearly.group("rest");
    }
}

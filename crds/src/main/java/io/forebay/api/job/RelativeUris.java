package io.forebay.api.job;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** {@code file://./x} in the file of a manifest means x beside that file; elsewhere there is no such place. */
final class RelativeUris {
    private static final String RELATIVE = "file://./";
    private static final Pattern URI_FIELD =
            Pattern.compile("spec[.](records|(inputs\\[\\d+][.]source)|(outputs\\[\\d+][.]to)|(stores\\[\\d+][.]uri))");

    private final String folder;

    RelativeUris(Path folder) {
        if (!folder.isAbsolute()) {
            throw new IllegalArgumentException("not absolute: " + folder);
        }
        this.folder = folder.normalize().toString();
    }

    /** The text of a field, absolute if it was a relative URI. */
    String absolute(String field, String text) {
        if (!text.startsWith(RELATIVE) || !URI_FIELD.matcher(field).matches()) {
            return text;
        }
        // In a destination the folder's own dollars are no variables.
        var base = field.endsWith(".to") ? folder.replace("$", "$$") : folder;
        return "file://" + (base.endsWith("/") ? base : base + "/") + text.substring(RELATIVE.length());
    }
}

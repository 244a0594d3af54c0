package io.forebay.sidecar.item;

import io.forebay.api.job.Template;
import io.forebay.api.value.StoreUri;

/** The part of an output's {@code to} that the manifest fixes: parents below it are made, symbolic links below it not followed. */
public final class OutputRoot {
    private OutputRoot() {}

    /** The folder before the first {@code $(VAR)}; for a text without one the folder that it names. */
    public static StoreUri of(Template to) {
        var text = to.text();
        int variable = text.indexOf("$(");
        if (variable < 0) {
            return StoreUri.parse(text.endsWith("/") ? text : text + "/");
        }
        return StoreUri.parse(text.substring(0, text.lastIndexOf('/', variable) + 1));
    }
}

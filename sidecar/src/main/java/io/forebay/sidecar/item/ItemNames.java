package io.forebay.sidecar.item;

import java.util.List;

/**
 * What {@code $(DIR)}, {@code $(NAME)} and {@code $(STEM)} are for an item's key.
 *
 * @param dir the key's folder below the input's prefix, without a trailing slash; empty for a key without one
 * @param name its last part
 * @param stem name without the extension that an include pattern spells out, else without the last one
 */
public record ItemNames(String dir, String name, String stem) {
    /** @param includePatterns the include patterns of the input, as written; may be empty */
    public static ItemNames of(String key, List<String> includePatterns) {
        int slash = key.lastIndexOf('/');
        var name = key.substring(slash + 1);
        return new ItemNames(slash < 0 ? "" : key.substring(0, slash), name, stem(name, includePatterns));
    }

    private static String stem(String name, List<String> includePatterns) {
        var longest = "";
        for (var pattern : includePatterns) {
            var extension = literalExtension(pattern);
            if (name.endsWith(extension) && name.length() > extension.length() && extension.length() > longest.length()) {
                longest = extension;
            }
        }
        if (longest.isEmpty()) {
            int dot = name.lastIndexOf('.');
            return dot > 0 ? name.substring(0, dot) : name;
        }
        return name.substring(0, name.length() - longest.length());
    }

    /** {@code .nii.gz} of {@code **}{@code /*.nii.gz}: the literal text from the first dot after the last wildcard; else empty. */
    private static String literalExtension(String pattern) {
        int wild = -1;
        for (int i = 0; i < pattern.length(); i++) {
            if ("*?[]{}\\/".indexOf(pattern.charAt(i)) >= 0) {
                wild = i;
            }
        }
        var tail = pattern.substring(wild + 1);
        int dot = tail.indexOf('.');
        return dot < 0 ? "" : tail.substring(dot);
    }
}

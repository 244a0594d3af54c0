package io.forebay.api.value;

import java.util.Locale;

/**
 * Where data lies: {@code s3://bucket/key}, {@code lustre:///path}, {@code file:///path}. No percent-decoding: the text
 * after the authority is the key or path as it is, so that keys with {@code %}, {@code ?}, {@code #} mean themselves.
 *
 * @param scheme which kind of store
 * @param authority the bucket for S3; empty for file systems
 * @param path S3: the key, without a leading slash, may be empty; {@link #parse} takes none with a part {@code .} or {@code ..}; file systems: the absolute path, normalised (no
 *     {@code .}, {@code ..}, empty components), a trailing slash kept, since it says "folder"
 */
public record StoreUri(Scheme scheme, String authority, String path) {
    /** The kinds of store. */
    public enum Scheme {
        S3,
        LUSTRE,
        FILE;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        public boolean isPosix() {
            return this != S3;
        }
    }

    public StoreUri {
        if (scheme == Scheme.S3) {
            if (authority.isEmpty()) {
                throw new IllegalArgumentException("s3 URI without a bucket");
            }
        } else {
            if (!authority.isEmpty()) {
                throw new IllegalArgumentException(
                        scheme.text() + " URI with a host '" + authority + "'; write " + scheme.text() + ":///path");
            }
            if (!path.startsWith("/")) {
                throw new IllegalArgumentException("path is not absolute: '" + path + "'");
            }
        }
    }

    /** @throws IllegalArgumentException naming the text and what would be right */
    public static StoreUri parse(String text) {
        int sep = text.indexOf("://");
        if (sep < 0) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no store URI; write s3://bucket/prefix, lustre:///path or file:///path");
        }
        var scheme = switch (text.substring(0, sep)) {
            case "s3" -> Scheme.S3;
            case "lustre" -> Scheme.LUSTRE;
            case "file" -> Scheme.FILE;
            default ->
                throw new IllegalArgumentException(
                        "'" + text + "': scheme '" + text.substring(0, sep) + "' is not known; use s3, lustre or file");
        };
        var rest = text.substring(sep + 3);
        int slash = rest.indexOf('/');
        var authority = slash < 0 ? rest : rest.substring(0, slash);
        var path = slash < 0 ? "" : rest.substring(slash);
        try {
            if (scheme == Scheme.S3) {
                requireNoDots(path);
                return new StoreUri(scheme, authority, path.isEmpty() ? "" : path.substring(1));
            }
            return new StoreUri(scheme, authority, normalise(path));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "': " + e.getMessage(), e);
        }
    }

    /** Clients and servers resolve these each in their own way, or fail: no object can be meant. */
    private static void requireNoDots(String path) {
        for (var part : path.split("/", -1)) {
            if (part.equals(".") || part.equals("..")) {
                throw new IllegalArgumentException("'" + part + "' is not allowed as a part of a key");
            }
        }
    }

    private static String normalise(String path) {
        var out = new StringBuilder();
        for (var part : path.split("/", -1)) {
            if (part.isEmpty() || part.equals(".")) {
                continue;
            }
            if (part.equals("..")) {
                throw new IllegalArgumentException("'..' is not allowed in a path");
            }
            out.append('/').append(part);
        }
        if (path.isEmpty()) {
            throw new IllegalArgumentException("path is missing");
        }
        if (path.endsWith("/") || out.isEmpty()) {
            out.append('/');
        }
        return out.toString();
    }

    /** Whether the URI names a folder (POSIX) or prefix (S3) rather than one file or object. */
    public boolean isFolder() {
        return path.isEmpty() || path.endsWith("/");
    }

    /** The URI of something below this folder. {@code relative} is appended as it is. */
    public StoreUri resolve(String relative) {
        var base = isFolder() ? path : path + "/";
        return new StoreUri(scheme, authority, base + relative);
    }

    /** Whether {@code other} is this URI or lies below it, at component boundaries. */
    public boolean contains(StoreUri other) {
        if (scheme != other.scheme || !authority.equals(other.authority)) {
            return false;
        }
        if (path.isEmpty() || path.equals(other.path)) {
            return true;
        }
        return other.path.startsWith(isFolder() ? path : path + "/");
    }

    @Override
    public String toString() {
        return scheme.text() + "://" + authority + (scheme == Scheme.S3 ? "/" : "") + path;
    }
}

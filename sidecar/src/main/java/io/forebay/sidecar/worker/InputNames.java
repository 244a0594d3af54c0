package io.forebay.sidecar.worker;

/**
 * Where an input lies below its folder in the buffer. Keys are kept as they are, but for components that no file system takes:
 * an empty one ({@code a//b}) becomes {@code %2F}, and a component that already looks so gets one more {@code %25} in front,
 * so that two keys never meet.
 */
public final class InputNames {
    private InputNames() {}

    /** @param key below the input's prefix @throws IllegalArgumentException for {@code .} and {@code ..}, which the plan leaves out */
    public static String toPath(String key) {
        if (key.indexOf("//") < 0 && !key.startsWith("/") && key.indexOf("%2F") < 0 && key.indexOf('.') < 0) {
            return key;
        }
        var out = new StringBuilder(key.length() + 8);
        var parts = key.split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            var part = parts[i];
            if (part.equals(".") || part.equals("..")) {
                throw new IllegalArgumentException("key '" + key + "' has the component '" + part + "'");
            }
            if (i > 0) {
                out.append('/');
            }
            out.append(escape(part));
        }
        return out.toString();
    }

    private static String escape(String part) {
        if (part.isEmpty()) {
            return "%2F";
        }
        return part.matches("(%25)*%2F") ? "%25" + part : part;
    }
}

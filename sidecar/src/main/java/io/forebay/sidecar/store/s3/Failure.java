package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.s3.http.Headers;
import java.util.regex.Pattern;

/**
 * What a server answered instead of a success.
 *
 * @param status of HTTP; 200 where the body is an error all the same
 * @param code of S3, as {@code NoSuchKey}; empty where there is no body to tell (HEAD)
 * @param message of the server's; may be empty
 * @param requestId for the store's operators; may be empty
 */
record Failure(int status, String code, String message, String requestId, Headers headers) {
    /** An error document is a few hundred bytes; what is longer is no S3 error. */
    static final int MAX_BODY = 64 * 1024;

    /** From an error document. Read by pattern, since what proxies send is often not well-formed. */
    static Failure parse(int status, Headers headers, String body) {
        var id = element(body, "RequestId");
        var header = headers.get("x-amz-request-id");
        return new Failure(
                status,
                element(body, "Code"),
                element(body, "Message"),
                id.isEmpty() && header != null ? header : id,
                headers);
    }

    /** Whether a body that should be data or a result is an error document. */
    static boolean isErrorDocument(String start) {
        var text = start.stripLeading();
        if (text.startsWith("<?xml")) {
            int end = text.indexOf("?>");
            text = end < 0 ? "" : text.substring(end + 2).stripLeading();
        }
        return text.startsWith("<Error>") || text.startsWith("<Error ");
    }

    private static String element(String body, String name) {
        var m = Pattern.compile("<" + name + ">([^<]{0,2000})</" + name + ">").matcher(body);
        return m.find() ? unescaped(m.group(1).strip()) : "";
    }

    private static String unescaped(String xml) {
        return xml.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&");
    }
}

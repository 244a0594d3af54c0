package io.forebay.sidecar.store.s3;

import io.forebay.api.name.NameBytes;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;

/**
 * Reads what S3 servers answer: elements in UTF-8 (XML 1.0, fifth edition), without looking at attributes. Bytes that are not UTF-8 become the
 * lone surrogates of {@link NameBytes}. There are no document types, hence no
 * entities but the five that need none. Characters that XML 1.0 forbids are taken where they are references. Stateless but for one document.
 *
 * <p>The JDK's own parsers take longer to start than to read a page of a listing.
 */
final class XmlElements {
    /** S3's documents have four levels. */
    private static final int MAX_DEPTH = 32;

    private final byte[] document;
    private final Sink sink;
    /** Names of the elements that are open, outermost first. */
    private final ArrayList<String> open = new ArrayList<>();

    private int at;

    /** Hears of elements; depth 1 is the root's. */
    interface Sink {
        void started(int depth, String name) throws ProtocolException;

        /**
         * @param parent name of the element around; empty: it is the root
         * @param text since the last tag, references resolved: all of it where there are no elements within
         */
        void ended(int depth, String parent, String name, String text) throws ProtocolException;
    }

    private XmlElements(byte[] document, Sink sink) {
        this.document = document;
        this.sink = sink;
    }

    /** @throws ProtocolException it is not well-formed; nothing of it should be believed */
    static void read(byte[] document, Sink sink) throws ProtocolException {
        new XmlElements(document, sink).read();
    }

    private void read() throws ProtocolException {
        var text = new StringBuilder();
        boolean rootSeen = false;
        while (at < document.length) {
            int tag = indexOf('<');
            int end = tag < 0 ? document.length : tag;
            if (open.isEmpty()) {
                requireBlank(end);
            } else {
                append(text, end);
            }
            at = end;
            if (tag < 0) {
                break;
            }
            if (skip("<!--", "-->") || skip("<?", "?>")) {
                continue;
            }
            if (starts("<![CDATA[") && !open.isEmpty()) {
                int close = find("]]>");
                text.append(utf8(at + "<![CDATA[".length(), close));
                at = close + "]]>".length();
            } else if (starts("</")) {
                end(text);
            } else if (starts("<!") || rootSeen && open.isEmpty()) {
                throw malformed("there is more than elements");
            } else {
                rootSeen = true;
                start(text);
            }
        }
        if (!rootSeen || !open.isEmpty()) {
            throw malformed(rootSeen ? "it ends within " + open.getLast() : "it has no element");
        }
    }

    private void start(StringBuilder text) throws ProtocolException {
        int close = tagEnd();
        boolean empty = document[close - 1] == '/';
        int from = at + 1;
        int to = from;
        while (to < close && !isBlank(document[to]) && document[to] != '/') {
            to++;
        }
        var name = local(from, to);
        if (name.isEmpty() || open.size() == MAX_DEPTH) {
            throw malformed("a tag without name, or more than " + MAX_DEPTH + " levels");
        }
        open.add(name);
        sink.started(open.size(), name);
        text.setLength(0);
        at = close + 1;
        if (empty) {
            pop("");
        }
    }

    private void end(StringBuilder text) throws ProtocolException {
        int close = find(">");
        int to = close;
        while (isBlank(document[to - 1])) {
            to--;
        }
        var name = local(at + 2, to);
        if (open.isEmpty() || !open.getLast().equals(name)) {
            throw malformed("</" + name + "> closes nothing");
        }
        at = close + 1;
        pop(text.toString());
        text.setLength(0);
    }

    private void pop(String text) throws ProtocolException {
        int depth = open.size();
        var name = open.removeLast();
        sink.ended(depth, depth == 1 ? "" : open.getLast(), name, text);
    }

    /** Of the tag that begins here; attribute values may hold {@code >}. */
    private int tagEnd() throws ProtocolException {
        byte quote = 0;
        for (int i = at + 1; i < document.length; i++) {
            byte b = document[i];
            if (quote != 0) {
                quote = b == quote ? 0 : quote;
            } else if (b == '"' || b == '\'') {
                quote = b;
            } else if (b == '>') {
                return i;
            }
        }
        throw malformed("a tag does not end");
    }

    private String local(int from, int to) {
        int start = from;
        for (int i = from; i < to; i++) {
            if (document[i] == ':') {
                start = i + 1;
            }
        }
        return utf8(start, Math.max(start, to));
    }

    private void append(StringBuilder text, int end) throws ProtocolException {
        int from = at;
        for (int i = at; i < end; i++) {
            if (document[i] == '&') {
                text.append(utf8(from, i));
                int semicolon = i;
                while (semicolon < end && document[semicolon] != ';') {
                    semicolon++;
                }
                if (semicolon == end) {
                    throw malformed("a reference does not end");
                }
                reference(text, utf8(i + 1, semicolon));
                i = semicolon;
                from = semicolon + 1;
            }
        }
        text.append(utf8(from, end));
    }

    private void reference(StringBuilder text, String name) throws ProtocolException {
        switch (name) {
            case "lt" -> text.append('<');
            case "gt" -> text.append('>');
            case "amp" -> text.append('&');
            case "quot" -> text.append('"');
            case "apos" -> text.append('\'');
            default -> {
                try {
                    text.appendCodePoint(
                            name.startsWith("#x")
                                    ? Integer.parseInt(name, 2, name.length(), 16)
                                    : Integer.parseInt(
                                            name, name.startsWith("#") ? 1 : name.length(), name.length(), 10));
                } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                    throw malformed("&" + name + "; is no reference");
                }
            }
        }
    }

    private void requireBlank(int end) throws ProtocolException {
        int from = at;
        if (from == 0
                && end >= 3
                && document[0] == (byte) 0xEF
                && document[1] == (byte) 0xBB
                && document[2] == (byte) 0xBF) {
            from = 3; // byte order mark
        }
        for (int i = from; i < end; i++) {
            if (!isBlank(document[i])) {
                throw malformed("it does not begin with '<'");
            }
        }
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    private boolean skip(String from, String to) throws ProtocolException {
        if (!starts(from)) {
            return false;
        }
        at = find(to) + to.length();
        return true;
    }

    private boolean starts(String token) {
        if (document.length - at < token.length()) {
            return false;
        }
        for (int i = 0; i < token.length(); i++) {
            if (document[at + i] != token.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private int indexOf(char c) {
        for (int i = at; i < document.length; i++) {
            if (document[i] == c) {
                return i;
            }
        }
        return -1;
    }

    /** @return where the token stands next */
    private int find(String token) throws ProtocolException {
        int saved = at;
        try {
            for (; at <= document.length - token.length(); at++) {
                if (starts(token)) {
                    return at;
                }
            }
        } finally {
            at = saved;
        }
        throw malformed("'" + token + "' is missing");
    }

    /** What is not UTF-8 stays recognisable, as {@link NameBytes} writes it: two keys never become one. */
    private String utf8(int from, int to) {
        var text = new String(document, from, to - from, StandardCharsets.UTF_8);
        return text.indexOf('\uFFFD') < 0 ? text : NameBytes.decode(Arrays.copyOfRange(document, from, to));
    }

    private ProtocolException malformed(String what) {
        return new ProtocolException("no well-formed XML at byte " + at + ": " + what);
    }
}

package io.forebay.testing;

import io.forebay.testing.ScriptedS3.Answer;
import io.forebay.testing.ScriptedS3.Request;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** One bucket in memory with S3's rules, each of which can be switched off. Thread-safe: every call holds the lock. */
public final class S3Objects {
    /** What a server may honour or not. */
    public enum Honours {
        /** x-amz-checksum-crc32c: compared, kept, told. */
        CHECKSUMS,
        /** ETags are MD5s; else random, but of the same form. */
        MD5_ETAGS,
        CONTENT_MD5,
        /** x-amz-content-sha256: compared with the body. */
        SHA256,
        IF_MATCH,
        IF_NONE_MATCH,
        /** Accepts x-amz-checksum-*, x-amz-sdk-*; without it such requests get 400. */
        CHECKSUM_HEADERS,
        /** Accepts UNSIGNED-PAYLOAD. */
        UNSIGNED
    }

    /** @param crc32c of the content as checked at its upload; null: not known */
    public record Stored(
            byte[] content,
            String etag,
            Map<String, String> meta,
            Instant modified,
            @Nullable String crc32c) {}

    private record Part(
            byte[] content, String etag, @Nullable String crc32c) {}

    private record Upload(String key, Map<String, String> meta, boolean checksummed, TreeMap<Integer, Part> parts) {}

    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final String bucket;
    private final Set<Honours> honours = EnumSet.allOf(Honours.class);
    private final TreeMap<String, Stored> objects = new TreeMap<>();
    private final TreeMap<String, Upload> uploads = new TreeMap<>();
    private int serial;
    /** Keys in one page of a listing. */
    public volatile int pageSize = 1000;

    S3Objects(String bucket) {
        this.bucket = bucket;
    }

    public synchronized S3Objects without(Honours... missing) {
        honours.removeAll(List.of(missing));
        return this;
    }

    public synchronized void put(String key, byte[] content) {
        objects.put(key, new Stored(content.clone(), etag(content), Map.of(), Instant.now(), null));
    }

    public synchronized @Nullable Stored get(String key) {
        return objects.get(key);
    }

    public synchronized List<String> keys() {
        return List.copyOf(objects.keySet());
    }

    public synchronized List<String> openUploads() {
        return List.copyOf(uploads.keySet());
    }

    private String etag(byte[] content) {
        return honours.contains(Honours.MD5_ETAGS)
                ? hex("MD5", content)
                : hex("MD5", ("no md5 " + serial++).getBytes(StandardCharsets.UTF_8));
    }

    /** The well-behaved answer. */
    public synchronized Answer answer(Request r) {
        if (!r.bucket().equals(bucket)) {
            return Answer.error(404, "NoSuchBucket");
        }
        if (!honours.contains(Honours.CHECKSUM_HEADERS)
                && r.headers().keySet().stream()
                        .anyMatch(h -> h.startsWith("x-amz-checksum") || h.startsWith("x-amz-sdk"))) {
            return Answer.error(400, "InvalidRequest");
        }
        if (r.headers().getOrDefault("content-encoding", "").contains("aws-chunked")
                || r.headers().containsKey("x-amz-trailer")) {
            return Answer.error(501, "NotImplemented");
        }
        return switch (r.method()) {
            case "GET" ->
                r.key().isEmpty() ? list(r) : r.query().containsKey("uploadId") ? listParts(r) : read(r, true);
            case "HEAD" -> read(r, false);
            case "PUT" -> write(r);
            case "POST" -> r.query().containsKey("uploads") ? create(r) : complete(r);
            case "DELETE" -> delete(r);
            default -> Answer.error(405, "MethodNotAllowed");
        };
    }

    private Answer read(Request r, boolean body) {
        var stored = objects.get(r.key());
        if (stored == null) {
            return Answer.error(404, "NoSuchKey");
        }
        var wanted = r.header("if-match");
        if (honours.contains(Honours.IF_MATCH) && wanted != null && !wanted.equals("\"" + stored.etag + "\"")) {
            return Answer.error(412, "PreconditionFailed");
        }
        var headers = new LinkedHashMap<String, String>(stored.meta);
        headers.put("etag", "\"" + stored.etag + "\"");
        headers.put("last-modified", HTTP_DATE.format(stored.modified));
        var range = r.header("range");
        if (range == null) {
            if (stored.crc32c != null && r.headers().containsKey("x-amz-checksum-mode")) {
                headers.put("x-amz-checksum-crc32c", stored.crc32c);
                headers.put("x-amz-checksum-type", "FULL_OBJECT");
            }
            headers.put("content-length", Integer.toString(stored.content.length));
            return Answer.of(200, headers, body ? stored.content : new byte[0]);
        }
        var m = Pattern.compile("bytes=(\\d+)-(\\d+)").matcher(range);
        if (!m.matches() || Integer.parseInt(m.group(1)) >= stored.content.length) {
            return Answer.error(416, "InvalidRange");
        }
        int from = Integer.parseInt(m.group(1));
        int to = Math.min(Integer.parseInt(m.group(2)), stored.content.length - 1);
        headers.put("content-range", "bytes " + from + "-" + to + "/" + stored.content.length);
        return Answer.of(206, headers, java.util.Arrays.copyOfRange(stored.content, from, to + 1));
    }

    private @Nullable Answer badSum(Request r) {
        var md5 = r.header("content-md5");
        if (honours.contains(Honours.CONTENT_MD5) && md5 != null && !md5.equals(base64(digest("MD5", r.body())))) {
            return Answer.error(400, "BadDigest");
        }
        var crc = r.header("x-amz-checksum-crc32c");
        if (honours.contains(Honours.CHECKSUMS) && crc != null && !crc.equals(crc32c(r.body()))) {
            return Answer.error(400, "BadDigest");
        }
        var sha = r.header("x-amz-content-sha256");
        if ("UNSIGNED-PAYLOAD".equals(sha)) {
            return honours.contains(Honours.UNSIGNED) ? null : Answer.error(403, "SignatureDoesNotMatch");
        }
        if (honours.contains(Honours.SHA256) && sha != null && !sha.equals(hex("SHA-256", r.body()))) {
            return Answer.error(400, "XAmzContentSHA256Mismatch");
        }
        return null;
    }

    private Answer write(Request r) {
        var bad = badSum(r);
        if (bad != null) {
            return bad;
        }
        var crc = honours.contains(Honours.CHECKSUMS) ? r.header("x-amz-checksum-crc32c") : null;
        var headers = new LinkedHashMap<String, String>();
        if (crc != null) {
            headers.put("x-amz-checksum-crc32c", crc);
        }
        var etag = etag(r.body());
        headers.put("etag", "\"" + etag + "\"");
        var number = r.query().get("partNumber");
        if (number != null) {
            var upload = uploads.get(r.query().get("uploadId"));
            if (upload == null) {
                return Answer.error(404, "NoSuchUpload");
            }
            upload.parts.put(Integer.parseInt(number), new Part(r.body(), etag, crc));
            return Answer.of(200, headers, new byte[0]);
        }
        if (honours.contains(Honours.IF_NONE_MATCH)
                && "*".equals(r.header("if-none-match"))
                && objects.containsKey(r.key())) {
            return Answer.error(412, "PreconditionFailed");
        }
        objects.put(r.key(), new Stored(r.body(), etag, meta(r), Instant.now(), crc));
        return Answer.of(200, headers, new byte[0]);
    }

    private static Map<String, String> meta(Request r) {
        var meta = new TreeMap<String, String>();
        r.headers().forEach((name, value) -> {
            if (name.startsWith("x-amz-meta-")) {
                meta.put(name, value);
            }
        });
        return meta;
    }

    private Answer create(Request r) {
        var id = "upload-" + serial++ + "+/=";
        boolean checksummed =
                honours.contains(Honours.CHECKSUMS) && "CRC32C".equals(r.header("x-amz-checksum-algorithm"));
        uploads.put(id, new Upload(r.key(), meta(r), checksummed, new TreeMap<>()));
        var headers = new LinkedHashMap<String, String>();
        if (checksummed) {
            headers.put("x-amz-checksum-algorithm", "CRC32C");
            headers.put("x-amz-checksum-type", "FULL_OBJECT");
        }
        return Answer.of(200, headers, xml("InitiateMultipartUploadResult", "<UploadId>" + id + "</UploadId>"));
    }

    private Answer complete(Request r) {
        var upload = uploads.get(r.query().get("uploadId"));
        if (upload == null) {
            return Answer.error(404, "NoSuchUpload");
        }
        var content = new ByteArrayOutputStream();
        var sums = new ByteArrayOutputStream();
        var parts = Pattern.compile("<Part>(.*?)</Part>", Pattern.DOTALL)
                .matcher(new String(r.body(), StandardCharsets.UTF_8));
        int count = 0;
        while (parts.find()) {
            var part = upload.parts.get(Integer.parseInt(element(parts.group(1), "PartNumber")));
            if (part == null
                    || !element(parts.group(1), "ETag")
                            .replace("&quot;", "")
                            .replace("\"", "")
                            .equals(part.etag)) {
                return Answer.error(400, "InvalidPart");
            }
            content.writeBytes(part.content);
            sums.writeBytes(HexFormat.of().parseHex(part.etag));
            count++;
        }
        var etag = hex("MD5", sums.toByteArray()) + "-" + count;
        var crc = upload.checksummed ? crc32c(content.toByteArray()) : null;
        objects.put(upload.key, new Stored(content.toByteArray(), etag, upload.meta, Instant.now(), crc));
        uploads.remove(r.query().get("uploadId"));
        var sum = crc == null
                ? ""
                : "<ChecksumCRC32C>" + crc + "</ChecksumCRC32C><ChecksumType>FULL_OBJECT</ChecksumType>";
        return Answer.of(
                200, Map.of(), xml("CompleteMultipartUploadResult", "<ETag>&quot;" + etag + "&quot;</ETag>" + sum));
    }

    private Answer listParts(Request r) {
        var upload = uploads.get(r.query().get("uploadId"));
        if (upload == null) {
            return Answer.error(404, "NoSuchUpload");
        }
        var text = new StringBuilder(upload.checksummed ? "<ChecksumAlgorithm>CRC32C</ChecksumAlgorithm>" : "");
        upload.parts.forEach((number, part) -> text.append("<Part><PartNumber>" + number + "</PartNumber><ETag>&quot;"
                + part.etag
                + "&quot;</ETag><Size>" + part.content.length + "</Size>"
                + (part.crc32c == null ? "" : "<ChecksumCRC32C>" + part.crc32c + "</ChecksumCRC32C>") + "</Part>"));
        return Answer.of(200, Map.of(), xml("ListPartsResult", "<IsTruncated>false</IsTruncated>" + text));
    }

    private Answer delete(Request r) {
        var id = r.query().get("uploadId");
        if (id != null) {
            return uploads.remove(id) == null
                    ? Answer.error(404, "NoSuchUpload")
                    : Answer.of(204, Map.of(), new byte[0]);
        }
        objects.remove(r.key());
        return Answer.of(204, Map.of(), new byte[0]);
    }

    private Answer list(Request r) {
        if (r.query().containsKey("uploads")) {
            var text = new StringBuilder("<IsTruncated>false</IsTruncated>");
            uploads.forEach((id, u) ->
                    text.append("<Upload><Key>" + escaped(u.key) + "</Key><UploadId>" + id + "</UploadId></Upload>"));
            return Answer.of(200, Map.of(), xml("ListMultipartUploadsResult", text.toString()));
        }
        var prefix = r.query().getOrDefault("prefix", "");
        var token = r.query().get("continuation-token");
        int most = Math.min(pageSize, Integer.parseInt(r.query().getOrDefault("max-keys", "1000")));
        var rest = token == null ? objects.tailMap(prefix) : objects.tailMap(keyOf(token), false);
        var text = new StringBuilder();
        String last = null;
        int n = 0;
        boolean truncated = false;
        for (var e : rest.entrySet()) {
            if (!e.getKey().startsWith(prefix)) {
                break;
            }
            if (n++ == most) {
                truncated = true;
                break;
            }
            last = e.getKey();
            text.append("<Contents><Key>")
                    .append(urlEncoded(last))
                    .append("</Key><LastModified>")
                    .append(e.getValue().modified)
                    .append("</LastModified><ETag>&quot;")
                    .append(e.getValue().etag)
                    .append("&quot;</ETag><Size>")
                    .append(e.getValue().content.length)
                    .append("</Size></Contents>");
        }
        text.append("<EncodingType>url</EncodingType><IsTruncated>")
                .append(truncated)
                .append("</IsTruncated>");
        if (truncated && last != null) {
            text.append("<NextContinuationToken>").append(token(last)).append("</NextContinuationToken>");
        }
        return Answer.of(200, Map.of("content-type", "application/xml"), xml("ListBucketResult", text.toString()));
    }

    /** Opaque, with the characters that clients encode wrongly. */
    private static String token(String key) {
        return "1+/=" + Base64.getEncoder().encodeToString(key.getBytes(StandardCharsets.UTF_8));
    }

    private static String keyOf(String token) {
        return new String(Base64.getDecoder().decode(token.substring(4)), StandardCharsets.UTF_8);
    }

    private static String urlEncoded(String key) {
        return URLEncoder.encode(key, StandardCharsets.UTF_8).replace("%2F", "/");
    }

    private static byte[] xml(String root, String content) {
        return ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<" + root
                        + " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" + content + "</" + root + ">")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private static String element(String xml, String name) {
        var m = Pattern.compile("<" + name + ">(.*?)</" + name + ">", Pattern.DOTALL)
                .matcher(xml);
        return m.find() ? m.group(1) : "";
    }

    /** As x-amz-checksum-crc32c has it. */
    public static String crc32c(byte[] content) {
        var crc = new CRC32C();
        crc.update(content);
        return base64(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static String hex(String algorithm, byte[] content) {
        return HexFormat.of().formatHex(digest(algorithm, content));
    }

    private static byte[] digest(String algorithm, byte[] content) {
        try {
            return MessageDigest.getInstance(algorithm).digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

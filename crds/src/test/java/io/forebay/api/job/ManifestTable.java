package io.forebay.api.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The manifests in {@code manifests/valid} and {@code manifests/invalid}. Each file may be given to {@code forebay validate},
 * to {@code kubectl} and to an API server; the comments on top say what must come of it:
 *
 * <pre>
 *   # case: K4                        of CASES.md
 *   # expect: spec.retry.item | text  each problem's field, and words of its message; nothing else may be found
 *   # server: same                    the API server refuses it too, naming the same field in the same words
 *   #         own                     it refuses it in words of its own, or kubectl does before it
 *   #         strict                  it refuses it when asked for strict field validation, as kubectl does
 *   #         accepts                 no schema can say it: it is stored, and refused by operator and coordinator
 * </pre>
 */
public final class ManifestTable {
    /** @param name of the file, without its ending */
    public record Entry(String name, String caseId, List<Expected> expected, Server server, byte[] text) {
        @Override
        public String toString() {
            return caseId.isEmpty() ? name : caseId + " " + name;
        }
    }

    public record Expected(String field, String words) {}

    /** What an API server with our CRD does. */
    public enum Server {
        SAME,
        OWN,
        STRICT,
        ACCEPTS
    }

    private ManifestTable() {}

    public static List<Entry> valid() {
        return read("valid");
    }

    public static List<Entry> invalid() {
        return read("invalid");
    }

    private static List<Entry> read(String folder) {
        try (Stream<Path> files = Files.list(root().resolve(folder))) {
            return files.sorted(Comparator.comparing(Path::toString))
                    .map(ManifestTable::entry)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path root() {
        try {
            var url = ManifestTable.class.getResource("/manifests");
            if (url == null) {
                throw new IllegalStateException("no /manifests on the class path");
            }
            return Path.of(url.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Entry entry(Path file) {
        try {
            var bytes = Files.readAllBytes(file);
            var head = new String(bytes, StandardCharsets.ISO_8859_1)
                    .lines()
                    .takeWhile(line -> line.startsWith("# "))
                    .toList();
            var expected = head.stream()
                    .flatMap(line -> value(line, "expect").stream())
                    .map(text -> text.split(" \\| ", 2))
                    .map(parts -> new Expected(parts[0].strip(), parts[1]))
                    .toList();
            return new Entry(
                    file.getFileName().toString().replace(".yaml", ""),
                    first(head, "case").orElse(""),
                    expected,
                    Server.valueOf(first(head, "server").orElse("accepts").toUpperCase(java.util.Locale.ROOT)),
                    bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<String> first(List<String> head, String key) {
        return head.stream().flatMap(line -> value(line, key).stream()).findFirst();
    }

    private static Optional<String> value(String line, String key) {
        var start = "# " + key + ": ";
        return line.startsWith(start) ? Optional.of(line.substring(start.length())) : Optional.empty();
    }
}

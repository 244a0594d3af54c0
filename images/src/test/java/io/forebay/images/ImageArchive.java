package io.forebay.images;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * An image's archive, read back.
 *
 * @param layers names, which are digests, from the first
 * @param modes of files and folders, by path
 * @param bytes of all files, unpacked
 */
record ImageArchive(List<String> tags, JsonNode config, List<String> layers, Map<String, Integer> modes, long bytes) {
    static ImageArchive read(Path archive) throws IOException {
        var parts = new HashMap<String, byte[]>();
        try (var tar = new TarArchiveInputStream(Files.newInputStream(archive))) {
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                parts.put(entry.getName(), tar.readAllBytes());
            }
        }
        var json = new ObjectMapper();
        var manifest = json.readTree(parts.get("manifest.json")).get(0);
        var layers = texts(manifest.get("Layers"));
        var modes = new HashMap<String, Integer>();
        var bytes = 0L;
        for (var layer : layers) {
            try (var tar = new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(parts.get(layer))))) {
                for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                    modes.put(entry.getName(), entry.getMode() & 07777);
                    bytes += entry.getSize();
                }
            }
        }
        return new ImageArchive(
                texts(manifest.get("RepoTags")),
                json.readTree(parts.get(manifest.get("Config").asText())),
                layers,
                modes,
                bytes);
    }

    private static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }
}

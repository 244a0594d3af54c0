package io.forebay.images;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainer;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;

/**
 * One image: the same layers, version, revision and time give the same digest, wherever it goes.
 *
 * @param cache Jib's; of no use afterwards
 */
record ImageBuild(
        Product product, Architecture architecture, Release release, List<FileEntriesLayer> layers, Path cache) {
    /** Whose id means nobody on any distribution. */
    private static final String USER = "65532:65532";
    /** Texts are UTF-8; two malloc arenas, since glibc's eight per core cost memory and win nothing here. */
    private static final Map<String, String> ENVIRONMENT = Map.of("LC_ALL", "C.UTF-8", "MALLOC_ARENA_MAX", "2");

    ImageBuild {
        layers = List.copyOf(layers);
    }

    JibContainer to(Containerizer target) throws IOException, InterruptedException {
        target.setBaseImageLayersCache(cache).setApplicationLayersCache(cache).setToolName("forebay-images");
        try {
            return image().containerize(target);
        } catch (RegistryException | CacheDirectoryCreationException e) {
            throw new PackException(String.valueOf(e.getMessage()), e);
        } catch (ExecutionException e) {
            throw new PackException(
                    String.valueOf(
                            e.getCause() == null ? e.getMessage() : e.getCause().getMessage()),
                    e);
        }
    }

    private JibContainerBuilder image() {
        return Jib.fromScratch()
                // Every version of containerd, Docker and Podman takes it, from an archive and from a registry.
                .setFormat(ImageFormat.Docker)
                .setPlatforms(Set.of(new Platform(architecture.ociName(), "linux")))
                .setFileEntriesLayers(layers)
                .setEntrypoint(product.entrypoint())
                .setEnvironment(new TreeMap<>(ENVIRONMENT))
                .setUser(USER)
                .setCreationTime(release.time())
                .setLabels(labels());
    }

    private Map<String, String> labels() {
        var labels = new TreeMap<String, String>();
        labels.put("org.opencontainers.image.title", product.title());
        labels.put("org.opencontainers.image.description", product.description());
        labels.put("org.opencontainers.image.version", release.version());
        labels.put("org.opencontainers.image.created", release.time().toString());
        labels.put("org.opencontainers.image.licenses", "Apache-2.0");
        if (!release.revision().isEmpty()) {
            labels.put("org.opencontainers.image.revision", release.revision());
        }
        return labels;
    }
}

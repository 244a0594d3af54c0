package io.forebay.images;

import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.TarImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Packs one tree: an archive, and the registry if one is named. Prints what it made, one line each. */
@Command(name = "pack", sortOptions = false)
final class PackCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int CANNOT = 70;

    @Option(names = "--product", required = true, description = "${COMPLETION-CANDIDATES}")
    private Product product = Product.SIDECAR;

    @Option(names = "--tree", required = true, description = "what becomes the product's folder in the image")
    private Path tree = Path.of("");

    @Option(names = "--sysroot", description = "where the system's libraries are taken from (default: /)")
    private Path systemRoot = Path.of("/");

    @Option(names = "--arch", required = true, description = "${COMPLETION-CANDIDATES}")
    private Architecture architecture = Architecture.AMD64;

    @Option(names = "--version", required = true)
    private String version = "";

    @Option(names = "--revision", description = "the commit")
    private String revision = "";

    @Option(names = "--time", required = true, description = "of all files, in seconds since 1970")
    private long seconds;

    @Option(names = "--scratch", required = true, description = "an empty folder")
    private Path scratch = Path.of("");

    @Option(names = "--archive", required = true, description = "the file to write")
    private Path archive = Path.of("");

    @Option(names = "--tag", description = "(default: the version)")
    private @Nullable String tag;

    @Option(names = "--push", description = "REGISTRY/PREFIX")
    private @Nullable String push;

    @Option(names = "--insecure", description = "push over plain HTTP as well")
    private boolean insecure;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try {
            pack();
            return OK;
        } catch (PackException e) {
            System.err.println("forebay: no image of the " + product.imageName() + ": " + e.getMessage());
            return CANNOT;
        }
    }

    private void pack() throws IOException, InterruptedException {
        var release = new Release(version, revision, Instant.ofEpochSecond(seconds));
        var libraries = SystemLibraries.of(tree, new SystemRoot(systemRoot.toAbsolutePath()), architecture);
        var layers = new Layers(product, release.time())
                .of(tree, libraries, Files.createDirectory(scratch.resolve("files")));
        var image = new ImageBuild(product, architecture, release, layers, scratch.resolve("cache"));

        var unfinished = scratch.resolve("archive");
        image.to(Containerizer.to(TarImage.at(unfinished).named(reference("forebay"))));
        Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
        System.out.println(archive);
        if (push != null) {
            var pushed = image.to(new Registry(insecure, System.getenv()).target(reference(push)));
            System.out.println(pushed.getTargetImage() + "@" + pushed.getDigest());
        }
    }

    private ImageReference reference(String prefix) {
        var name = prefix + "/" + product.imageName() + ":" + (tag == null ? version : tag);
        try {
            return ImageReference.parse(name);
        } catch (InvalidImageReferenceException e) {
            throw new PackException(name + " is no name of an image", e);
        }
    }
}

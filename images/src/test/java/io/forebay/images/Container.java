package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An image as {@code images/build} makes it, unpacked, and run as containers are: user 65532, nothing to write but /tmp, only the
 * network shared with the machine.
 *
 * @param folder where it lies, with all that it was made from
 */
record Container(Path folder, Path archive, Path root) {
    static final Path NO_FILES = Path.of("/nonexistent");

    /** $1: the image's root; $2: a folder whose content /tmp gets, if it is there; $3: environment, separated by spaces. */
    private static final String SCRIPT = """
            set -e
            root=$1 tmp=$2 environment=$3
            shift 3
            mount --bind "$root" "$root"
            mount -t proc proc "$root/proc"
            mount --rbind /dev "$root/dev"
            mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
            [ ! -d "$tmp" ] || cp -R "$tmp/." "$root/tmp/"
            mount -o remount,ro,bind "$root"
            exec env LC_ALL=C.UTF-8 MALLOC_ARENA_MAX=2 $environment "$(command -v chroot)" --userspec=65532:65532 "$root" "$@"
            """;

    /** @param folder an empty one */
    static Container make(Path folder, String image) throws IOException, InterruptedException {
        var made = Shell.run(
                folder,
                List.of(Shell.checkout().resolve("images/build").toString(), "--only", image, folder.toString()));
        assertThat(made.exit()).as(made.err()).isZero();
        var archive = Path.of(made.out().lines().findFirst().orElseThrow());
        var root = Files.createDirectories(folder.resolve("root"));
        var parts = Files.createDirectory(folder.resolve("parts"));
        unpack(folder, archive, parts, "-xf");
        for (var layer : ImageArchive.read(archive).layers()) {
            unpack(folder, parts.resolve(layer), root, "-xzf");
        }
        for (var mounted : List.of("dev", "proc")) {
            Files.createDirectory(root.resolve(mounted));
        }
        return new Container(folder, archive, root);
    }

    private static void unpack(Path folder, Path archive, Path into, String how)
            throws IOException, InterruptedException {
        var unpacked = Shell.run(folder, List.of("tar", how, archive.toString(), "-C", into.toString()));
        assertThat(unpacked.exit()).as(unpacked.err()).isZero();
    }

    /** The words that run a command in it, in the environment in which they are run and a further one. */
    List<String> words(Path files, List<String> environment, String... command) {
        var words = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", SCRIPT, "sh", root.toString()));
        words.add(files.toString());
        words.add(String.join(" ", environment));
        words.addAll(List.of(command));
        return words;
    }

    /** @param files what lies in /tmp */
    Shell.Ended run(Path files, List<String> environment, String... command) throws Exception {
        assumeTrue(
                Shell.run(folder, List.of("unshare", "-m", "true")).exit() == 0,
                "mount namespaces and chroot need root");
        var words = new ArrayList<>(List.of("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"));
        words.addAll(words(files, environment, command));
        return Shell.run(folder, words);
    }
}

package io.forebay.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.launch.Shell;
import io.forebay.testing.VersityGw;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** The examples as a reader runs them, with {@code ./forebay run}, in a copy of their folder; results are read back by others' programs. */
@Tag("slow")
class ExamplesIT {
    /** Size of a NIfTI-1 header with its four extension bytes. */
    private static final int HEADER_BYTES = 352;

    private static final int TIMES = 4;

    @TempDir
    Path folder;

    private Path examples;

    @BeforeEach
    void copyTheExamples() throws Exception {
        examples = folder.resolve("examples");
        var ended = Shell.run(
                Shell.checkout(),
                environment(),
                "sh",
                "-c",
                "mkdir \"$1\" && tar -cf - --exclude=results --exclude=records -C examples . | tar -xf - -C \"$1\"",
                "sh",
                examples.toString());
        assertThat(ended.exit()).as(ended.err()).isZero();
    }

    @Test
    void incrementAddsItsNumberOfTimesToEveryVoxelAndDoesNothingTwice() throws Exception {
        var job = examples.resolve("increment/job.yaml");

        var first = forebay("run", job.toString());

        assertThat(first.exit()).as(first.out() + first.err()).isZero();
        assertIncremented(examples.resolve("increment/chunks"), examples.resolve("increment/results"));
        var before = stamps(examples.resolve("increment/results"));

        var second = forebay("run", job.toString());
        var verified = forebay("verify", job.toString());

        assertThat(second.exit()).as(second.out() + second.err()).isZero();
        assertThat(stamps(examples.resolve("increment/results"))).isEqualTo(before);
        assertThat(verified.exit()).as(verified.out() + verified.err()).isZero();
    }

    @Test
    void incrementGeneratesItsOwnBlocks() throws Exception {
        var again = folder.resolve("again");

        var environment = environment();
        // As a machine has it on which java is in no PATH.
        environment.put("JAVA_HOME", Shell.jdk().toString());
        var ended = Shell.run(
                folder,
                environment,
                examples.resolve("increment/program/increment").toString(),
                "generate",
                again.toString(),
                "8",
                "64",
                "8");

        assertThat(ended.exit()).as(ended.err()).isZero();
        for (var block : files(again)) {
            assertThat(block)
                    .hasSameBinaryContentAs(examples.resolve("increment/chunks").resolve(block.getFileName()));
        }
        assertThat(files(again)).hasSize(8);
    }

    @Test
    void s3IncrementGoesFromAndToAServerThatOthersWrote() throws Exception {
        assumeTrue(VersityGw.available(), "no versitygw: .ci/run installs it");
        try (var server = VersityGw.start(folder.resolve("s3"), "brain")) {
            try (var s3 = client(server.endpoint())) {
                for (var name : List.of("chunks", "program")) {
                    for (var file : files(examples.resolve("increment").resolve(name))) {
                        s3.putObject(
                                r -> r.bucket("brain").key(name + "/" + file.getFileName()),
                                RequestBody.fromFile(file));
                    }
                }
            }
            var job = examples.resolve("s3-increment/job.yaml");
            Files.writeString(
                    job,
                    Files.readString(job)
                            .replace("http://127.0.0.1:7070", server.endpoint().toString()));

            var ended = forebay("run", job.toString());

            assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
            assertIncremented(examples.resolve("increment/chunks"), folder.resolve("s3/data/brain/results"));
        }
    }

    @Test
    void neuroimagingResultsAreReadBackByNibabel() throws Exception {
        assumeTrue(runs("python3 -c 'import nibabel'"), "python3 has no nibabel: .ci/run installs it");
        var here = examples.resolve("neuroimaging");
        var prepared = Shell.run(folder, environment(), here.resolve("prepare").toString());
        assertThat(prepared.exit()).as(prepared.err()).isZero();

        var ended = forebay("run", here.resolve("job.yaml").toString());

        assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
        var checked = Shell.run(
                folder,
                environment(),
                "python3",
                here.resolve("check.py").toString(),
                here.resolve("images").toString(),
                here.resolve("results").toString());
        assertThat(checked.exit()).as(checked.out() + checked.err()).isZero();
        assertThat(checked.out()).contains("10 of 10 as expected");
    }

    @Test
    void genomicsKeepsEveryReadAndItsIndexFitsItsFile() throws Exception {
        var here = examples.resolve("genomics");
        assumeTrue(runs("samtools --version"), "no samtools: .ci/run installs it");
        assumeTrue(
                Shell.run(folder, environment(), here.resolve("prepare").toString())
                                .exit()
                        == 0,
                "no sample files of samtools-test and htslib-test: .ci/run installs them");

        var ended = forebay("run", here.resolve("job.yaml").toString());

        assertThat(ended.exit()).as(ended.out() + ended.err()).isZero();
        var alignments = here.resolve("results/alignments");
        var reference = here.resolve("reference/ce.fa").toString();
        var reads = files(here.resolve("reads"));
        assertThat(reads).hasSize(5);
        for (var file : reads) {
            var sorted = alignments.resolve(file.getFileName() + ".sorted.bam").toString();
            assertThat(samtools("view", "-c", sorted))
                    .isEqualTo(samtools("view", "-c", "-T", reference, file.toString()));
            assertThat(samtools("quickcheck", "-v", sorted)).isEmpty();
            assertThat(samtools("view", "-H", sorted)).contains("SO:coordinate");
            // Needs the index, and an index that is not older than its file.
            assertThat(samtools("view", "-c", sorted, "CHROMOSOME_I")).isNotEqualTo("0");
            assertThat(here.resolve("results/reports").resolve(file.getFileName() + ".stats"))
                    .isNotEmptyFile();
            assertThat(here.resolve("results/reports").resolve(file.getFileName() + ".flagstat.json"))
                    .isNotEmptyFile();
        }
    }

    /** Not by the program itself, which may not be there. */
    private boolean runs(String command) throws IOException, InterruptedException {
        return Shell.run(folder, environment(), "sh", "-c", command).exit() == 0;
    }

    private String samtools(String... arguments) throws IOException, InterruptedException {
        var ended = Shell.run(
                folder,
                environment(),
                Stream.concat(Stream.of("samtools"), Stream.of(arguments)).toList());
        assertThat(ended.exit()).as(ended.err()).isZero();
        return ended.out().strip();
    }

    private static void assertIncremented(Path blocks, Path results) throws IOException {
        assertThat(files(blocks)).hasSize(8);
        assertThat(files(results))
                .extracting(Path::getFileName)
                .isEqualTo(files(blocks).stream().map(Path::getFileName).toList());
        for (var block : files(blocks)) {
            var expected = ByteBuffer.wrap(Files.readAllBytes(block)).order(ByteOrder.LITTLE_ENDIAN);
            for (int at = HEADER_BYTES; at < expected.limit(); at += Short.BYTES) {
                expected.putShort(at, (short) (expected.getShort(at) + TIMES));
            }
            assertThat(results.resolve(block.getFileName())).hasBinaryContent(expected.array());
        }
    }

    /** The visible files in a folder, by name. */
    private static List<Path> files(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    private static Map<Path, String> stamps(Path folder) throws IOException {
        var stamps = new TreeMap<Path, String>();
        for (var file : files(folder)) {
            stamps.put(file, Files.getAttribute(file, "unix:ino") + " " + Files.getAttribute(file, "unix:ctime"));
        }
        return stamps;
    }

    private static S3Client client(URI endpoint) {
        return S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(VersityGw.ACCESS_KEY, VersityGw.SECRET_KEY)))
                .httpClient(UrlConnectionHttpClient.create())
                .build();
    }

    private Shell.Ended forebay(String... arguments) throws IOException, InterruptedException {
        return Shell.run(
                folder,
                environment(),
                Stream.concat(Stream.of(Shell.checkout().resolve("forebay").toString()), Stream.of(arguments))
                        .toList());
    }

    private static Map<String, String> environment() {
        var environment = new HashMap<>(Map.of(
                "PATH", System.getenv("PATH"),
                "HOME", System.getProperty("user.home"),
                "FOREBAY_JAVA_HOME", Shell.jdk().toString(),
                "AWS_ACCESS_KEY_ID", VersityGw.ACCESS_KEY,
                "AWS_SECRET_ACCESS_KEY", VersityGw.SECRET_KEY));
        return environment;
    }
}

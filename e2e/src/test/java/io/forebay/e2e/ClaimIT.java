package io.forebay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A job whose data lies on a claim, on two nodes. */
@Tag("cluster")
@ExtendWith(ProductExtension.class)
class ClaimIT {
    private static final Duration MOST = Duration.ofMinutes(4);
    private UserSpace space;

    @BeforeEach
    void open(Product product) throws Exception {
        space = new UserSpace(product);
    }

    @AfterEach
    void close() {
        space.close();
    }

    @Test
    @DisplayName(
            "From claim to claim through the buffer: every output is there and right, the pods and the job have succeeded")
    void succeeds() throws Exception {
        for (int i = 0; i < 6; i++) {
            space.input("f" + i, ("content " + i).getBytes(StandardCharsets.UTF_8));
        }
        space.job(
                "upper",
                "tr a-z A-Z <\"$FOREBAY_INPUT\" >\"$FOREBAY_OUT/$FOREBAY_NAME\"",
                "  workers: {max: 2, slots: 2}");

        assertThat(space.ended("upper", MOST)).as(() -> space.picture("upper")).isEqualTo("Succeeded");

        assertThat(space.outputs()).containsExactly("f0", "f1", "f2", "f3", "f4", "f5");
        for (int i = 0; i < 6; i++) {
            assertThat(space.output("f" + i)).asString().isEqualTo("CONTENT " + i);
        }
        assertThat(space.status("upper", "exitCode")).isEqualTo("0");
        assertThat(space.status("upper", "items", "done")).isEqualTo("6");
        assertThat(space.status("upper", "columns", "items")).isEqualTo("6/6");
    }

    @Test
    @DisplayName("A step that runs as another user: its files of mode 0600 in folders of 0700 come home with that mode")
    void otherUser() throws Exception {
        space.input("f", "x".getBytes(StandardCharsets.UTF_8));
        space.job(
                "user",
                "umask 077; mkdir \"$FOREBAY_OUT/d\"; id -u >\"$FOREBAY_OUT/d/uid\"; cat \"$FOREBAY_INPUT\" >>\"$FOREBAY_OUT/d/uid\"",
                "  podTemplate: {spec: {initContainers: [{name: work, securityContext: {runAsUser: 7001, runAsGroup: 7001}}]}}");

        assertThat(space.ended("user", MOST)).as(() -> space.picture("user")).isEqualTo("Succeeded");

        assertThat(space.outputs()).containsExactly("d/uid");
        assertThat(space.output("d/uid")).asString().isEqualTo("7001\nx");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(space.data.resolve("out/d/uid"))))
                .isEqualTo("rw-------");
    }

    @Test
    @DisplayName(
            "An item whose step fails: the job has failed, the others' outputs are there, the status names what failed")
    void oneFails() throws Exception {
        space.input("good", "x".getBytes(StandardCharsets.UTF_8));
        space.input("bad", "x".getBytes(StandardCharsets.UTF_8));
        space.job(
                "mixed",
                "[ \"$FOREBAY_NAME\" != bad ] || exit 3; cp \"$FOREBAY_INPUT\" \"$FOREBAY_OUT/\"",
                "  retry: {item: 1}");

        assertThat(space.ended("mixed", MOST)).isEqualTo("Failed");

        assertThat(space.status("mixed", "exitCode")).isEqualTo("1");
        assertThat(space.outputs()).containsExactly("good");
        assertThat(space.status("mixed", "items", "failed")).isEqualTo("1");
    }
}

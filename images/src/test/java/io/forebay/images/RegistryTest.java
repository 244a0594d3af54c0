package io.forebay.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.tools.jib.api.ImageReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slow, because Jib repeats what was refused, with pauses. */
@Tag("slow")
class RegistryTest {
    @TempDir
    Path folder;

    private RegistryServer server;
    private ImageBuild image;

    @BeforeEach
    void start() throws Exception {
        server = RegistryServer.start(folder, "ann", "secret");
        image = Tree.image(Tree.make(folder.resolve("tree")), Architecture.AMD64, folder.resolve("scratch"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void takesTheImageWithTheCredentialsOfDockerLogin() throws Exception {
        login("ann", "secret");

        var pushed = image.to(new Registry(true, environment()).target(name()));

        assertThat(server.manifests())
                .containsKey("team/forebay/sidecar:1.2.3")
                .containsValue(pushed.getDigest().toString());
        assertThat(server.blobs()).hasSize(6);
    }

    @Test
    void thatRefusesTheCredentialsIsTold() throws Exception {
        login("ann", "wrong");

        assertThatThrownBy(() -> image.to(new Registry(true, environment()).target(name())))
                .isInstanceOf(PackException.class)
                .hasMessageContaining(server.address())
                .hasMessageNotContaining("wrong");
        assertThat(server.manifests()).isEmpty();
    }

    @Test
    void withACertificateThatNobodySignedIsRefusedUnlessAskedFor() throws Exception {
        login("ann", "secret");

        assertThatThrownBy(() -> image.to(new Registry(false, environment()).target(name())))
                .isInstanceOf(PackException.class)
                .hasMessageContaining(server.address());
        assertThat(server.manifests()).isEmpty();
    }

    private ImageReference name() throws Exception {
        return ImageReference.parse(server.address() + "/team/forebay/sidecar:1.2.3");
    }

    private Map<String, String> environment() {
        return Map.of("DOCKER_CONFIG", folder.toString());
    }

    private void login(String user, String password) throws Exception {
        var both = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        Files.writeString(
                folder.resolve("config.json"),
                "{\"auths\": {\"%s\": {\"auth\": \"%s\"}}}".formatted(server.address(), both));
    }
}

package io.forebay.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("alone")
class SlowProxyTest {
    private ScriptedS3 server;

    @BeforeEach
    void start() throws Exception {
        server = ScriptedS3.start("bucket");
        server.objects().put("key", new byte[200_000]);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private static byte[] get(URI endpoint) throws IOException {
        var connection =
                (HttpURLConnection) URI.create(endpoint + "/bucket/key").toURL().openConnection();
        try (var in = connection.getInputStream()) {
            return in.readAllBytes();
        }
    }

    private static Duration time(URI endpoint) throws IOException {
        long start = System.nanoTime();
        assertThat(get(endpoint)).hasSize(200_000);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    @DisplayName("adds a round trip's latency, and lets bytes through whole")
    void latency() throws Exception {
        try (var proxy = new SlowProxy(server.endpoint(), Duration.ofMillis(150), 0)) {
            assertThat(time(proxy.endpoint())).isGreaterThanOrEqualTo(Duration.ofMillis(150));
            assertThat(proxy.bytesDown.get()).isGreaterThan(200_000);
        }
    }

    @Test
    @DisplayName("bounds the bandwidth of a connection")
    void bandwidth() throws Exception {
        try (var proxy = new SlowProxy(server.endpoint(), Duration.ZERO, 500_000)) {
            assertThat(time(proxy.endpoint())).isGreaterThanOrEqualTo(Duration.ofMillis(350));
        }
    }

    @Test
    @DisplayName("can be cut")
    void cut() throws Exception {
        try (var proxy = new SlowProxy(server.endpoint(), Duration.ZERO, 1000)) {
            var cutter = Thread.ofVirtual().start(() -> {
                Wait.until("bytes flow", () -> proxy.bytesDown.get() > 0);
                proxy.cut();
            });
            assertThatThrownBy(() -> get(proxy.endpoint())).isInstanceOf(IOException.class);
            cutter.join();
        }
    }
}

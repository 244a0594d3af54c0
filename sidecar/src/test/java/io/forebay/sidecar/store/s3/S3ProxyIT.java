package io.forebay.sidecar.store.s3;

import io.forebay.testing.S3ProxyServer;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class S3ProxyIT extends S3Contract {
    private static S3ProxyServer server;

    @BeforeAll
    static void start() throws Exception {
        server = S3ProxyServer.inMemory(BUCKET);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Override
    URI endpoint() {
        return server.endpoint();
    }
}

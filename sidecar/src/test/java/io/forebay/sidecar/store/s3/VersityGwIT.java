package io.forebay.sidecar.store.s3;

import io.forebay.testing.VersityGw;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@EnabledIf("available")
class VersityGwIT extends S3Contract {
    @TempDir
    static Path folder;

    private static VersityGw server;

    static boolean available() {
        return VersityGw.available();
    }

    @BeforeAll
    static void start() throws Exception {
        server = VersityGw.start(folder, BUCKET);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Override
    URI endpoint() {
        return server.endpoint();
    }

    /** It answers 200 and overwrites (CASES O8). */
    @Override
    protected boolean exclusiveCreate() {
        return false;
    }
}

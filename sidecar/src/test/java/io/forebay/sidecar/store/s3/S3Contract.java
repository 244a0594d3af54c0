package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreContract;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import software.amazon.awssdk.services.s3.S3Client;

/** The contract of stores, held by S3 servers. Parts are of 5 MiB, the least that servers take. */
abstract class S3Contract extends StoreContract {
    static final String BUCKET = "forebay";
    static final int PART = 5 << 20;
    private static final AtomicInteger FOLDERS = new AtomicInteger();

    private S3Store store;
    private S3Client client;
    private String folder;

    /** Where the server listens. */
    abstract URI endpoint();

    @BeforeEach
    void connect() throws Exception {
        var settings = TestStores.settings(endpoint(), BUCKET).withSizes(new PartPlan.Sizes(1 << 20, PART));
        store = open(settings);
        client = SdkClients.of(
                settings,
                TestStores.identity(),
                Trust.of(io.forebay.sidecar.store.s3.http.Origin.of(endpoint()), null),
                Optional.empty(),
                S3Settings.CONTROL_TIMEOUT);
        folder = "contract-" + FOLDERS.incrementAndGet() + "/";
    }

    S3Store open(S3Settings settings) throws Exception {
        return S3Store.connect(settings, TestStores.identity(), Optional.empty(), DataPath.Kind.LEAN);
    }

    @AfterEach
    void disconnect() {
        store.close();
        client.close();
    }

    @Override
    protected Store store() {
        return store;
    }

    S3Store s3() {
        return store;
    }

    S3Client client() {
        return client;
    }

    @Override
    protected String folder() {
        return folder;
    }

    /** Open uploads. */
    @Override
    protected List<String> leftovers() {
        return client.listMultipartUploads(r -> r.bucket(BUCKET)).uploads().stream()
                .map(u -> u.key())
                .filter(key -> key.startsWith(folder))
                .toList();
    }

    @Override
    protected int largeSize() {
        return 2 * PART + 12_345;
    }
}

package io.forebay.sidecar.store.posix;

import io.forebay.sidecar.os.FileTree;
import io.forebay.sidecar.os.RealFolders;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.store.StoreContract;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What every store promises, on a real disk and in real memory. */
@ParameterizedClass
@MethodSource("io.forebay.sidecar.os.RealFolders#parents")
class PosixStoreContractTest extends StoreContract {
    private static final int PART = 1 << 20;

    @Parameter
    Path parent;

    private String root;
    private Store store;

    @BeforeEach
    void open() throws Exception {
        root = RealFolders.create(parent);
        store = new PosixStore(LustreTool.none(), Duration.ofSeconds(1), PART);
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        FileTree.delete(root);
    }

    @Override
    protected Store store() {
        return store;
    }

    @Override
    protected String folder() {
        return root + "/";
    }

    @Override
    protected List<String> leftovers() throws Exception {
        return PosixFixture.temporaryNames(Path.of(root));
    }

    @Override
    protected int largeSize() {
        return 2 * PART + 12_345;
    }
}

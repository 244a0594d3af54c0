package io.forebay.sidecar.store.posix;

import static io.forebay.sidecar.store.posix.PosixFixture.NO_BYTES;
import static io.forebay.sidecar.store.posix.PosixFixture.failure;
import static io.forebay.sidecar.store.posix.PosixFixture.source;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.value.StoreUri.Scheme;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedFile;
import io.forebay.sidecar.store.Store.PublishOutcome;
import io.forebay.sidecar.store.StoreException.Kind;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code verify: ReadBack}: somebody else writes to the temporary file, or the medium keeps other bytes. */
class ReadBackTest {
    @TempDir
    Path root;

    private PosixStore store;

    @BeforeEach
    void open() {
        store = PosixStore.open(Scheme.FILE);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private StagedFile.Stub stub(int size, int mode) throws Exception {
        return store.prepare(new StageRequest(
                root + "/file", root.toString(), size, new FileMeta(mode, -1, null), "t0ken-1", false, true));
    }

    private static byte[] random(int size) {
        var bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private StagedFile stage(StagedFile.Stub stub, byte[] bytes, Runnable beforeSeal) throws Exception {
        try (var write = store.open(stub)) {
            write.write(0, source(bytes), ByteBuffer.allocateDirect(1 << 20));
            beforeSeal.run();
            return write.seal();
        }
    }

    private void damage(StagedFile.Stub stub) {
        try (var file = new RandomAccessFile(root.resolve(stub.handle()).toFile(), "rw")) {
            int last = (int) file.length() - 1;
            file.seek(last);
            int b = file.read();
            file.seek(last);
            file.write(b ^ 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 10_000, 5_000_000})
    @DisplayName(
            "D5 ReadBack: what an outside writer changes in the temporary file before it is sealed is found; staged anew it is right")
    void damagedBeforeTheSeal(int size) throws Exception {
        var bytes = random(size);
        var stub = stub(size, 0400);
        var e = failure(() -> stage(stub, bytes, () -> damage(stub)));
        assertThat(e.kind()).as(e.getMessage()).isEqualTo(Kind.CORRUPT);
        assertThat(e).hasMessageContaining(root + "/file").hasMessageContaining(stub.handle());

        var staged = stage(stub, bytes, () -> {});
        assertThat(store.publish(staged, NO_BYTES)).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(root.resolve("file")).hasBinaryContent(bytes);
    }

    @Test
    @DisplayName("D5 ReadBack: so it is where a small file is staged in one step")
    void damagedInOneStep() throws Exception {
        var bytes = random(3000);
        var stub = stub(bytes.length, 0644);
        var scratch = ByteBuffer.allocateDirect(4096);
        var e = failure(() -> store.stageWhole(stub, source(bytes), scratch, () -> damage(stub)));
        assertThat(e.kind()).as(e.getMessage()).isEqualTo(Kind.CORRUPT);
        var staged = store.stageWhole(stub, source(bytes), scratch, () -> {}).orElseThrow();
        assertThat(store.publish(staged, NO_BYTES)).isEqualTo(PublishOutcome.PUBLISHED);
        assertThat(root.resolve("file")).hasBinaryContent(bytes);
    }

    @Test
    @DisplayName(
            "D5 ReadBack: a temporary file that is changed, or exchanged, after its seal is not published, whoever carries out the intent")
    void damagedAfterTheSeal() throws Exception {
        var bytes = random(10_000);
        var changed = stage(stub(bytes.length, 0644), bytes, () -> {});
        damage(changed.stub());
        assertThat(store.publish(changed, NO_BYTES)).isEqualTo(PublishOutcome.LOST);
        var exchanged = stage(stub(bytes.length, 0644), bytes, () -> {});
        Files.delete(root.resolve(exchanged.stub().handle()));
        Files.write(
                root.resolve(exchanged.stub().handle()),
                random(bytes.length + 1),
                java.nio.file.StandardOpenOption.CREATE_NEW);
        try (var successor = PosixStore.open(Scheme.FILE)) {
            assertThat(successor.publish(exchanged, NO_BYTES)).isEqualTo(PublishOutcome.LOST);
        }
        assertThat(root.resolve("file")).doesNotExist();
    }
}

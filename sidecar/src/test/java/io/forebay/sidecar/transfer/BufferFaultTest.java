package io.forebay.sidecar.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.os.Errno;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.Store;
import io.forebay.sidecar.transfer.Transfers.BufferIoException;
import io.forebay.testing.MemoryStore;
import io.forebay.testing.Wait;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class BufferFaultTest {
    @TempDir
    Path folder;

    private final MemoryStore memory = new MemoryStore(1 << 20, 0);

    private interface Use {
        void use(EngineFixture fixture) throws Exception;
    }

    private void with(String operation, IntPredicate which, Errno errno, Use use) throws Exception {
        var faulty = new FaultyBuffer(operation, which, errno);
        try (var fixture = new EngineFixture(folder, EngineFixture.CALM, 8 << 20, faulty)) {
            use.use(fixture);
            Wait.until("no descriptor is open", () -> faulty.open.get() == 0);
            Wait.until("all chunks are back", () -> fixture.pool.lentBytes() == 0);
        }
    }

    @ParameterizedTest
    @DisplayName("C8 EIO once from the buffer while fetching: written again as a new file")
    @ValueSource(ints = {1000, 5 << 20})
    void fetchesAgainAfterOneIoError(int size) throws Exception {
        var content = EngineFixture.random(size, 1);
        with("write", n -> n == 1, Errno.EIO, fixture -> {
            fixture.engine.fetch(memory, memory.with("a", content), FileMeta.UNKNOWN, fixture.path("a"));
            assertThat(fixture.bytes("a")).isEqualTo(content);
            // Parts that were under way beside the one that failed may count as well.
            assertThat(fixture.counters.bytesFetched()).isBetween((long) size, 2L * size);
            assertThat(fixture.counters.retries()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("C8 EIO for ever from the buffer: told as the buffer's fault")
    void tellsALastingIoError() throws Exception {
        with("write", n -> true, Errno.EIO, fixture -> {
            assertThatThrownBy(() -> fixture.engine.fetch(
                            memory, memory.with("a", new byte[10]), FileMeta.UNKNOWN, fixture.path("a")))
                    .isInstanceOfSatisfying(
                            BufferIoException.class,
                            e -> assertThat(e.noSpace()).isFalse())
                    .hasMessageContaining("EIO");
            assertThat(fixture.counters.bytesFetched()).isZero();
        });
    }

    @ParameterizedTest
    @DisplayName("I6 no space in the buffer: told at once as such")
    @ValueSource(ints = {1000, 5 << 20})
    void tellsThatTheBufferIsFull(int size) throws Exception {
        with(
                "write",
                n -> n >= 3 || size == 1000,
                Errno.ENOSPC,
                fixture -> assertThatThrownBy(() -> fixture.engine.fetch(
                                memory,
                                memory.with("a", EngineFixture.random(size, 1)),
                                FileMeta.UNKNOWN,
                                fixture.path("a")))
                        .isInstanceOfSatisfying(
                                BufferIoException.class,
                                e -> assertThat(e.noSpace()).isTrue()));
    }

    @ParameterizedTest
    @DisplayName("C8 EIO once from the buffer while staging: read again")
    @ValueSource(ints = {1000, 5 << 20})
    void stagesAgainAfterOneIoError(int size) throws Exception {
        var content = EngineFixture.random(size, 1);
        Files.write(folder.resolve("a"), content);
        with("read", n -> n == 1, Errno.EIO, fixture -> {
            var staged = fixture.engine.stage(memory, fixture.stub(memory, "a", size), fixture.path("a"));
            memory.publish(staged, new Store.InlineSource.Absent());
            assertThat(memory.content("a")).isEqualTo(content);
            assertThat(fixture.counters.bytesStaged()).isEqualTo(size);
        });
    }

    @Test
    void aFolderThatIsMissingIsNamed() throws Exception {
        with(
                "none",
                n -> false,
                Errno.EIO,
                fixture -> assertThatThrownBy(() -> fixture.engine.fetch(
                                memory, memory.with("a", new byte[10]), FileMeta.UNKNOWN, fixture.path("no/such/a")))
                        .isInstanceOf(BufferIoException.class)
                        .hasMessageContaining("no/such/a")
                        .hasMessageContaining("ENOENT"));
    }
}

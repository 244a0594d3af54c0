package io.forebay.sidecar.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.api.value.StoreUri;
import io.forebay.message.Messages.StagedOutput;
import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.StageRequest;
import io.forebay.sidecar.store.StagedMessages;
import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.StoreException.Kind;
import io.forebay.sidecar.store.Stores;
import io.forebay.sidecar.transfer.ChunkPool;
import io.forebay.sidecar.transfer.TransferConfig;
import io.forebay.sidecar.transfer.TransferCounters;
import io.forebay.sidecar.transfer.TransferEngine;
import io.forebay.testing.FaultyStore;
import io.forebay.testing.MemoryStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Carrying out intents of many files, some of which fail. */
class PublisherTest {
    private static final int FILES = 200;

    @TempDir
    Path folder;

    private final MemoryStore memory = new MemoryStore();
    private final FaultyStore store = new FaultyStore(memory);
    private final ChunkPool pool = new ChunkPool(16 << 20);
    private final TransferEngine engine =
            new TransferEngine(pool, TransferConfig.DEFAULT, new TransferCounters(InstantSource.system()));
    private final Publisher publisher = new Publisher(new Stores(List.of(), (root, access) -> store), engine);

    @AfterEach
    void close() {
        engine.close();
        pool.close();
    }

    private List<StagedOutput> staged() throws Exception {
        var staged = new ArrayList<StagedOutput>();
        for (int i = 0; i < FILES; i++) {
            var source = Files.writeString(folder.resolve("f" + i), "content of " + i);
            var to = StoreUri.parse("s3://bucket/out/f" + i);
            var stub =
                    memory.prepare(new StageRequest(to.path(), "out/", Files.size(source), FileMeta.UNKNOWN, "t" + i));
            staged.add(StagedMessages.of("out", "f" + i, to, engine.stage(memory, stub, source.toString())));
        }
        return staged;
    }

    private void allThere() {
        for (int i = 0; i < FILES; i++) {
            assertThat(memory.content("out/f" + i)).isEqualTo(("content of " + i).getBytes());
        }
        assertThat(memory.staged()).isEmpty();
    }

    @Test
    @DisplayName("files that fail with others are published by themselves, what had been published stays")
    void failuresAreTriedAlone() throws Exception {
        var staged = staged();
        store.failing("publish", n -> n % 50 == 0, Kind.TRANSIENT);
        assertThat(publisher.publish(staged, output -> null)).isEmpty();
        allThere();
    }

    @Test
    @DisplayName("an answer that was lost changes nothing: done again, all is published once")
    void lostAnswers() throws Exception {
        var staged = staged();
        store.failingAfter("publish", 3, Kind.TRANSIENT);
        assertThat(publisher.publish(staged, output -> null)).isEmpty();
        assertThat(publisher.publish(staged, output -> null)).isEmpty();
        allThere();
    }

    @Test
    @DisplayName("O4 those whose staged bytes are gone are told, the others are published")
    void lostOnesAreTold() throws Exception {
        var staged = staged();
        for (int i : List.of(7, 130)) {
            memory.discard(StagedMessages.stub(staged.get(i)));
        }
        assertThat(publisher.publish(staged, output -> null)).containsExactlyInAnyOrder(staged.get(7), staged.get(130));
        assertThat(memory.keys()).hasSize(FILES - 2);
    }

    @Test
    @DisplayName("what can never be published is told, and what it is")
    void permanentFailure() throws Exception {
        var staged = staged();
        store.failing("publish", n -> true, Kind.DENIED);
        assertThatThrownBy(() -> publisher.publish(staged, output -> null))
                .isInstanceOfSatisfying(
                        StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DENIED));
        assertThat(memory.keys()).isEmpty();
    }
}

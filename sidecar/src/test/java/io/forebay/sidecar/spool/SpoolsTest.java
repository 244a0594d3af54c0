package io.forebay.sidecar.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolsTest {
    @TempDir
    Path scratch;

    @Test
    @DisplayName("lines of many spilled chunks come out in the order of their keys' bytes, and no scratch file stays")
    void sorts() throws Exception {
        var random = new Random(7);
        var keys = new ArrayList<byte[]>();
        try (var sort = new SpoolSort(scratch)) {
            for (int i = 0; i < 60_000; i++) {
                var key = new byte[1 + random.nextInt(40)];
                random.nextBytes(key);
                keys.add(key);
                sort.add(key, new byte[200]);
            }
            var out = new ArrayList<byte[]>();
            sort.drain((key, value) -> {
                assertThat(value).hasSize(200);
                out.add(key);
            });
            keys.sort(Arrays::compareUnsigned);
            assertThat(out).hasSize(keys.size());
            for (int i = 0; i < out.size(); i++) {
                assertThat(out.get(i)).isEqualTo(keys.get(i));
            }
            sort.add("x".getBytes(StandardCharsets.UTF_8), new byte[0]);
            var again = new ArrayList<String>();
            sort.drain((key, value) -> again.add(new String(key, StandardCharsets.UTF_8)));
            assertThat(again).containsExactly("x");
        }
        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    @DisplayName("a spool gives back what was appended, by index")
    void spools() throws Exception {
        try (var spool = new JsonSpool(scratch)) {
            for (int i = 0; i < 10_000; i++) {
                spool.append(List.of(i, "x".repeat(i % 300)));
            }
            spool.finish();
            assertThat(spool.size()).isEqualTo(10_000);
            assertThat(spool.get(9_999, List.class)).isEqualTo(List.of(9_999, "x".repeat(99)));
            assertThat(spool.get(0, List.class)).isEqualTo(List.of(0, ""));
            assertThatThrownBy(() -> spool.get(10_000)).isInstanceOf(IndexOutOfBoundsException.class);
            spool.clear();
            assertThat(spool.size()).isZero();
            spool.append("again");
            spool.finish();
            assertThat(spool.get(0, String.class)).isEqualTo("again");
        }
        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    @DisplayName(
            "E9 a thread that is interrupted while it reads or writes leaves the spool as it was, for itself and others")
    void survivesInterruption() throws Exception {
        try (var spool = new JsonSpool(scratch)) {
            Thread.currentThread().interrupt();
            try {
                spool.append("x".repeat(100_000));
                spool.append("y");
                spool.finish();
                assertThat(spool.get(1, String.class)).isEqualTo("y");
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
            spool.append("z");
            spool.finish();
            assertThat(spool.get(0, String.class)).hasSize(100_000);
            assertThat(spool.get(2, String.class)).isEqualTo("z");
        }
    }

    @Test
    @DisplayName("the hash is MurmurHash3_x64_128; texts are kept apart whatever they hold")
    void hash() {
        assertThat(new Hash128().done().hex()).isEqualTo("0".repeat(32));
        assertThat(new Hash128()
                        .add("hello".getBytes(StandardCharsets.US_ASCII))
                        .done()
                        .hex())
                .isEqualTo("cbd8a7b341bd9b025b1e906a48ae1d19");
        assertThat(new Hash128()
                        .add("The quick brown fox jumps over the lazy dog".getBytes(StandardCharsets.US_ASCII))
                        .done()
                        .hex())
                .isEqualTo("e34bbc7bbc071b6c7a433ca9c49a9347");
        var texts = List.of("", "a", "b", "\u0080", "\uDCFF", "\uDCFE", "ab", "\uD83D\uDE00");
        var seen = new java.util.HashSet<String>();
        for (var one : texts) {
            for (var other : texts) {
                assertThat(seen.add(new Hash128().add(one).add(other).done().hex()))
                        .as(one + "|" + other)
                        .isTrue();
            }
        }
    }

    @Test
    @DisplayName("the hash table agrees with a plain map, through growth")
    void hashTable() throws Exception {
        var table = new HashTable(scratch);
        var map = new HashMap<String, Integer>();
        var random = new Random(3);
        for (int i = 0; i < 200_000; i++) {
            var key = "name" + random.nextInt(150_000);
            if (random.nextInt(4) == 0) {
                table.put(key, i);
                map.put(key, i);
            } else {
                assertThat(table.add(key, i)).isEqualTo(map.putIfAbsent(key, i) == null);
            }
        }
        for (int i = 0; i < 150_000; i++) {
            assertThat(table.owner("name" + i)).isEqualTo(map.getOrDefault("name" + i, -1));
        }
        assertThat(table.size()).isEqualTo(map.size());
        table.clear();
        assertThat(table.owner("name1")).isEqualTo(-1);
        table.close();
        assertThat(scratch).isEmptyDirectory();
    }
}

package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.sidecar.store.FileMeta;
import io.forebay.sidecar.store.s3.http.Headers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectMetaTest {
    private static Headers headers(Map<String, String> fields) {
        var lists = new HashMap<String, List<String>>();
        fields.forEach((name, value) -> lists.put(name, List.of(value)));
        return Headers.of(lists);
    }

    @Property
    @Label("N6 mode, mtime and link target survive")
    void roundTrip(@ForAll @IntRange(min = -1, max = 07777) int mode, @ForAll long mtime, @ForAll byte[] target) {
        var link = target.length == 0 ? null : io.forebay.api.name.NameBytes.decode(target);
        var meta = new FileMeta(mode, mtime, link);
        var fields = ObjectMeta.headers(meta, OptionalLong.of(0xABCDL));
        assertThat(fields.values()).allMatch(v -> v.chars().allMatch(c -> c > 0x20 && c < 0x7f));
        assertThat(ObjectMeta.of(headers(fields))).isEqualTo(meta);
        assertThat(ObjectMeta.crc32c(headers(fields))).isEqualTo(0xABCDL);
    }

    @ParameterizedTest
    @CsvSource({
        "1354040105.123456789, 1354040105123456789",
        "1354040105, 1354040105000000000",
        "2012-11-27T18:15:05.5Z, 1354040105500000000",
        "-1.5, -1500000000",
        "1e99, 7000000000",
        "99999999999999, 7000000000",
        "yesterday, 7000000000",
        "'', 7000000000"
    })
    @DisplayName("N6 times of other tools are read, nonsense is the object's own time")
    void foreignTimes(String text, long nanos) {
        var fields = Map.of("x-amz-meta-mtime", text, "last-modified", "Thu, 01 Jan 1970 00:00:07 GMT");
        assertThat(ObjectMeta.of(headers(fields)).mtimeNanos()).isEqualTo(nanos);
    }

    @ParameterizedTest
    @CsvSource({"33188, 0644", "100755, 0755", "16877, -1", "040755, -1", "99999999999, -1", "rw, -1"})
    @DisplayName("N6 st_mode of s3fs (decimal) and rclone (octal) is read for files")
    void foreignModes(String text, String mode) {
        assertThat(ObjectMeta.of(headers(Map.of("x-amz-meta-mode", text))).mode())
                .isEqualTo(mode.equals("-1") ? -1 : Integer.parseInt(mode, 8));
    }

    @Test
    @DisplayName("broken metadata is no metadata")
    void broken() {
        var meta = ObjectMeta.of(headers(Map.of(
                "x-amz-meta-forebay-mode",
                "rwx",
                "x-amz-meta-forebay-link",
                "%zz",
                "last-modified",
                "soon",
                "x-amz-meta-forebay-crc32c",
                "1")));
        assertThat(meta).isEqualTo(FileMeta.UNKNOWN);
        assertThat(ObjectMeta.crc32c(Headers.NONE)).isEqualTo(-1);
    }
}

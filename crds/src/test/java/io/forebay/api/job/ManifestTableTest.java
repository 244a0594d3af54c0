package io.forebay.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.api.manifest.Problem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ManifestTableTest {

    static List<ManifestTable.Entry> valid() {
        return ManifestTable.valid();
    }

    static List<ManifestTable.Entry> invalid() {
        return ManifestTable.invalid();
    }

    @Test
    void theTableIsThere() {
        assertThat(ManifestTable.invalid()).hasSizeGreaterThanOrEqualTo(60);
        assertThat(ManifestTable.valid()).hasSizeGreaterThanOrEqualTo(20);
    }

    @ParameterizedTest(name = "{0} is read, and its canonical form is read as the same")
    @MethodSource("valid")
    void isValid(ManifestTable.Entry entry) {
        var result = JobReader.read(entry.text());
        assertThat(result.problems()).isEmpty();
        var job = ((JobReader.Valid) result).job();
        assertThat(JobReader.readCanonical(job.manifest())).isEqualTo(job);
    }

    @ParameterizedTest(name = "{0} is refused, naming field, value and remedy")
    @MethodSource("invalid")
    void isInvalid(ManifestTable.Entry entry) {
        var problems = new ArrayList<Problem>(JobReader.read(entry.text()).problems());
        assertThat(entry.expected()).isNotEmpty();
        for (var expected : entry.expected()) {
            var found = problems.stream()
                    .filter(p ->
                            p.field().equals(expected.field()) && p.message().contains(expected.words()))
                    .findFirst();
            assertThat(found)
                    .as("%s: %s in %s", expected.field(), expected.words(), problems)
                    .isPresent();
            problems.remove(found.orElseThrow());
        }
        assertThat(problems).as("more than expected").isEmpty();
    }
}

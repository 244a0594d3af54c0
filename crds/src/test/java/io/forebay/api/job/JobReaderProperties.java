package io.forebay.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever the text: a valid job or problems, never an exception; and what is valid is read back as the same. */
class JobReaderProperties {
    private static final String SPECIAL = "[]{}:,&*!|>'\"%@`\n -#";
    private static final List<ManifestTable.Entry> VALID = ManifestTable.valid();

    @Property(tries = 1000)
    void bytesChangedAnywhere(@ForAll long seed) {
        var random = new Random(seed);
        var text = VALID.get(random.nextInt(VALID.size())).text().clone();
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(text.length);
            text[at] = random.nextBoolean()
                    ? (byte) random.nextInt(256)
                    : (byte) SPECIAL.charAt(random.nextInt(SPECIAL.length()));
        }
        check(JobReader.read(text));
    }

    @Property(tries = 1000)
    void linesLeftOutRepeatedOrSwapped(@ForAll long seed) {
        var random = new Random(seed);
        var lines = new ArrayList<>(
                new String(VALID.get(random.nextInt(VALID.size())).text(), StandardCharsets.UTF_8)
                        .lines()
                        .toList());
        for (int i = random.nextInt(4); i >= 0 && !lines.isEmpty(); i--) {
            int at = random.nextInt(lines.size());
            switch (random.nextInt(3)) {
                case 0 -> lines.remove(at);
                case 1 -> lines.add(random.nextInt(lines.size()), lines.get(at));
                case 2 -> lines.set(at, "  " + lines.get(at));
                default -> throw new IllegalStateException();
            }
        }
        check(JobReader.read(String.join("\n", lines).getBytes(StandardCharsets.UTF_8)));
    }

    @Property(tries = 2000)
    void valuesReplacedAnywhere(@ForAll long seed, @ForAll("values") String value) throws Exception {
        var random = new Random(seed);
        var mapper = JsonMapper.builder().build();
        var entry = VALID.get(random.nextInt(VALID.size()));
        if (!(JobReader.read(entry.text()) instanceof JobReader.Valid(Job job, var _))) {
            throw new AssertionError(entry + " is not valid");
        }
        var root = mapper.readTree(job.manifest());
        for (int i = random.nextInt(3); i >= 0; i--) {
            replace(root, random, mapper.readTree(value));
        }
        check(JobReader.read(mapper.writeValueAsBytes(root)));
    }

    @Property(tries = 1000)
    void anyText(@ForAll String text) {
        check(JobReader.read(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Provide
    Arbitrary<String> values() {
        return Arbitraries.of(
                "null",
                "true",
                "0",
                "-1",
                "1.5",
                "1e400",
                "\"\"",
                "\"x\"",
                "\"$(\"",
                "\"$(ITEM)\"",
                "\"*\"",
                "\"[\"",
                "\"/\"",
                "\"..\"",
                "\"1Gi\"",
                "\"1h\"",
                "\"s3://b\"",
                "\"s3://b/$(DIR)/\"",
                "\"file:///\"",
                "\"\\u0000\"",
                "\"\\udcff\"",
                "[]",
                "{}",
                "[null]",
                "[{}]",
                "[\"sh\",\"-c\"]",
                "{\"name\":\"x\"}",
                "[[]]",
                "99999999999999999999");
    }

    private static void replace(JsonNode node, Random random, JsonNode value) {
        var child = node;
        while (true) {
            if (child instanceof ObjectNode object && !object.isEmpty()) {
                var names = new ArrayList<String>();
                object.fieldNames().forEachRemaining(names::add);
                var name = names.get(random.nextInt(names.size()));
                if (random.nextInt(3) == 0 || object.get(name).isEmpty()) {
                    object.set(name, value.deepCopy());
                    return;
                }
                child = object.get(name);
            } else if (child instanceof ArrayNode array && !array.isEmpty()) {
                int at = random.nextInt(array.size());
                if (random.nextInt(3) == 0 || array.get(at).isEmpty()) {
                    array.set(at, value.deepCopy());
                    return;
                }
                child = array.get(at);
            } else {
                return;
            }
        }
    }

    private static void check(JobReader.Result result) {
        switch (result) {
            case JobReader.Valid valid ->
                assertThat(JobReader.readCanonical(valid.job().manifest())).isEqualTo(valid.job());
            case JobReader.Invalid invalid ->
                assertThat(invalid.problems())
                        .isNotEmpty()
                        .allSatisfy(p -> assertThat(p.message()).isNotBlank());
        }
    }
}

package io.forebay.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the chart repeats of other files is what they say now. With -Dforebay.write it is written. */
class ChartFilesTest {
    private static final String HOW =
            "run: mvn -pl helm -am test -Dtest=ChartFilesTest -Dforebay.write -Dsurefire.failIfNoSpecifiedTests=false";
    private static final Path SOURCES = Chart.FOLDER.getParent().getParent();

    @Test
    void theCrdIsThatOfTheModel() throws IOException {
        var crd = "pipelinejobs.forebay.io-v1.yml";

        isCurrent(
                Chart.file("files/" + crd),
                Files.readString(SOURCES.resolve("crds").resolve(crd)));
    }

    @Test
    void theReadmesTableIsThatOfTheValues() throws IOException {
        var readme = Chart.text("README.md");
        var begin = "<!-- made from values.yaml: begin -->\n";
        var end = "<!-- made from values.yaml: end -->\n";
        assertThat(readme).contains(begin, end);

        var before = readme.substring(0, readme.indexOf(begin) + begin.length());
        var table = ValuesTable.of(Chart.text("values.yaml")).markdown();
        isCurrent(Chart.file("README.md"), before + table + readme.substring(readme.indexOf(end)));
    }

    @Test
    void everyValueIsDescribed() {
        assertThat(ValuesTable.of(Chart.text("values.yaml")).undescribed()).isEmpty();
    }

    @Test
    void theChartHasTheVersionOfThisBuild() throws IOException {
        var version =
                Pattern.compile("<version>([^<]*)</version>").matcher(Files.readString(SOURCES.resolve("pom.xml")));
        assertThat(version.find()).isTrue();

        var chart = Chart.documents(Chart.text("Chart.yaml")).getFirst();

        assertThat(chart.at("/version").asText()).isEqualTo(version.group(1));
        assertThat(chart.at("/appVersion").asText()).isEqualTo(version.group(1));
    }

    private static void isCurrent(Path file, String text) throws IOException {
        if (System.getProperty("forebay.write") != null) {
            Files.writeString(file, text);
        }
        assertThat(file).as(HOW).content().isEqualTo(text);
    }
}

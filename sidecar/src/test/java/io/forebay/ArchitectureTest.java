package io.forebay;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Which way dependencies point. {@link #ALLOWED} is the drawing in CONTRIBUTING.md, one line per package: what is not on a
 * package's line it may not know. A new package needs a line here first.
 */
class ArchitectureTest {

    private static final String ENGINE = "io.forebay.sidecar.";

    /** Package of the engine to the packages of the engine that it may know, sub-packages included. */
    private static final Map<String, List<String>> ALLOWED = new TreeMap<>(Map.ofEntries(
            Map.entry("os", List.of()),
            Map.entry("item", List.of()),
            Map.entry("store", List.of("os")),
            Map.entry("transfer", List.of("store", "os")),
            Map.entry("buffer", List.of("os")),
            Map.entry("journal", List.of("os")),
            Map.entry("step", List.of("os")),
            Map.entry("link", List.of()),
            Map.entry("fetch", List.of("transfer", "store", "item", "buffer", "journal", "os")),
            Map.entry("flush", List.of("transfer", "store", "item", "buffer", "journal", "os")),
            Map.entry("commit", List.of("transfer", "store", "item", "buffer", "journal", "os")),
            Map.entry("records", List.of("store", "item", "os")),
            Map.entry("outcome", List.of("store")),
            Map.entry("spool", List.of("os")),
            Map.entry("plan", List.of("outcome", "spool", "records", "store", "item", "os")),
            Map.entry("coordinator", List.of("plan", "outcome", "spool", "records", "store", "item", "link", "os")),
            Map.entry(
                    "worker",
                    List.of(
                            "fetch",
                            "flush",
                            "commit",
                            "transfer",
                            "store",
                            "item",
                            "buffer",
                            "journal",
                            "step",
                            "link",
                            "os")),
            Map.entry("telemetry", List.of()),
            Map.entry("advisor", List.of()),
            Map.entry(
                    "local",
                    List.of(
                            "worker",
                            "coordinator",
                            "plan",
                            "outcome",
                            "records",
                            "fetch",
                            "flush",
                            "commit",
                            "transfer",
                            "store",
                            "item",
                            "buffer",
                            "journal",
                            "step",
                            "link",
                            "telemetry",
                            "advisor",
                            "os")),
            Map.entry(
                    "apart",
                    List.of(
                            "local",
                            "worker",
                            "coordinator",
                            "plan",
                            "outcome",
                            "records",
                            "item",
                            "step",
                            "link",
                            "os")),
            Map.entry(
                    "cli",
                    List.of(
                            "apart",
                            "local",
                            "worker",
                            "coordinator",
                            "plan",
                            "outcome",
                            "records",
                            "fetch",
                            "flush",
                            "commit",
                            "transfer",
                            "store",
                            "item",
                            "buffer",
                            "journal",
                            "step",
                            "link",
                            "telemetry",
                            "advisor",
                            "os"))));

    private static JavaClasses code;

    @BeforeAll
    static void read() {
        code = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.forebay");
        assertThat(code).as("compiled classes of io.forebay on the class path").isNotEmpty();
    }

    static Stream<String> enginePackages() {
        return ALLOWED.keySet().stream();
    }

    @ParameterizedTest(name = "{0} knows only what CONTRIBUTING.md draws")
    @MethodSource("enginePackages")
    void knowsOnlyWhatIsDrawn(String name) {
        rule(name, ALLOWED.get(name)).check(code);
    }

    @Test
    @DisplayName("every package of the engine has its line in the drawing")
    void everyPackageHasItsLine() {
        var found = new TreeSet<String>();
        for (var c : code) {
            if (c.getPackageName().startsWith(ENGINE)) {
                found.add(c.getPackageName().substring(ENGINE.length()).replaceFirst("\\..*", ""));
            }
        }
        found.removeAll(ALLOWED.keySet());
        assertThat(found)
                .as("packages without a line in ArchitectureTest.ALLOWED")
                .isEmpty();
    }

    @Test
    @DisplayName("manifest and messages know no part that uses them")
    void manifestAndMessagesKnowNoPart() {
        noClasses()
                .that()
                .resideInAnyPackage("io.forebay.api..", "io.forebay.message..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.forebay.sidecar..", "io.forebay.operator..", "io.forebay.slurm..")
                .check(code);
    }

    @Test
    @DisplayName("packages form no cycle")
    void packagesFormNoCycle() {
        slices().matching("io.forebay.(**)")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(code);
    }

    @Test
    @DisplayName("commands alone print and exit")
    void commandsAlonePrintAndExit() {
        noClasses()
                .that()
                .resideInAPackage("io.forebay..")
                .and()
                .resideOutsideOfPackage(ENGINE + "cli..")
                .and()
                .doNotHaveFullyQualifiedName(ENGINE + "Main")
                .should()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(code);
    }

    @Test
    @DisplayName("the AWS SDK is known to the S3 store alone, the command line library to the commands")
    void librariesStayWhereTheyBelong() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ENGINE + "store.s3..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("software.amazon..")
                .check(code);
        noClasses()
                .that()
                .resideOutsideOfPackage(ENGINE + "cli..")
                .and()
                .doNotHaveFullyQualifiedName(ENGINE + "Main")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("picocli..", "org.jline..")
                .allowEmptyShould(true)
                .check(code);
    }

    @Test
    @DisplayName("the rules can fail: a package that may know nothing is found out")
    void theRulesCanFail() {
        assertThatThrownBy(() -> rule("transfer", List.of()).check(code))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(ENGINE + "store");
    }

    private static ArchRule rule(String name, List<String> known) {
        var allowed = Stream.concat(
                        Stream.of("io.forebay.api..", "io.forebay.message..", ENGINE + name + ".."),
                        known.stream().map(k -> ENGINE + k + ".."))
                .toArray(String[]::new);
        return classes()
                .that()
                .resideInAPackage(ENGINE + name + "..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed).or(resideOutsideOfPackage("io.forebay..")))
                .as(name + " may know " + Arrays.toString(allowed))
                .allowEmptyShould(true);
    }
}

package io.forebay.operator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OperatorArchitectureTest {
    private final JavaClasses classes = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.forebay.operator");

    @Test
    @DisplayName("What is decided and what is built is pure: no client, no network, no files")
    void pure() {
        noClasses()
                .that()
                .resideInAnyPackage("..decide..", "..children..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.net.http..", "java.nio.file..", "io.javaoperatorsdk..", "io.quarkus..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("io.fabric8.kubernetes.client.KubernetesClient")
                .check(classes);
    }

    @Test
    @DisplayName("No cycles between packages")
    void cycles() {
        slices().matching("io.forebay.operator.(*)..").should().beFreeOfCycles().check(classes);
    }

    @Test
    @DisplayName("The engine is known by its image, its command line and the messages in crds alone")
    void noEngine() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.forebay.sidecar..")
                .allowEmptyShould(true)
                .check(classes);
    }
}

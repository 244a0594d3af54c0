package io.forebay.bench;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;

@AnalyzeClasses(packages = "io.forebay.bench", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    @ArchTest
    static final ArchRule ARROWS = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.forebay.bench..")
            .layer("measure")
            .definedBy("..measure")
            .layer("result")
            .definedBy("..result")
            .layer("server")
            .definedBy("..server")
            .layer("peer")
            .definedBy("..peer")
            .layer("work")
            .definedBy("..work")
            .layer("report")
            .definedBy("..report")
            .layer("inner")
            .definedBy("..inner..")
            .layer("main")
            .definedBy("io.forebay.bench")
            .whereLayer("main")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("work")
            .mayOnlyBeAccessedByLayers("main")
            .whereLayer("report")
            .mayOnlyBeAccessedByLayers("main")
            .whereLayer("inner")
            .mayOnlyBeAccessedByLayers("main")
            .whereLayer("peer")
            .mayOnlyBeAccessedByLayers("work", "main")
            .whereLayer("server")
            .mayOnlyBeAccessedByLayers("work", "peer", "inner")
            .whereLayer("result")
            .mayOnlyBeAccessedByLayers("peer", "work", "report", "inner", "main");

    @ArchTest
    static final ArchRule NO_CYCLES =
            slices().matching("io.forebay.bench.(*)..").should().beFreeOfCycles();

    /** From outside: whole processes, and beside them the published models. */
    @ArchTest
    static final ArchRule FROM_OUTSIDE = ArchRuleDefinition.noClasses()
            .that()
            .resideOutsideOfPackage("..inner..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.forebay.api..",
                    "io.forebay.message..",
                    "io.forebay.sidecar.buffer..",
                    "io.forebay.sidecar.cli..",
                    "io.forebay.sidecar.journal..",
                    "io.forebay.sidecar.local..",
                    "io.forebay.sidecar.store..",
                    "io.forebay.sidecar.transfer..",
                    "io.forebay.sidecar.worker..");
}

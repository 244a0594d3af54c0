package io.forebay.images;

import java.util.List;
import java.util.Locale;

/** What images are made of. Each tree has {@code runtime/}, a Java runtime, and {@code lib/image.args}, all arguments of its start. */
enum Product {
    SIDECAR(
            "/opt/forebay",
            "Forebay",
            "The burst buffer beside a worker's steps, the coordinator, and the forebay command"),
    OPERATOR("/opt/forebay-operator", "Forebay operator", "Runs PipelineJobs on Kubernetes");

    private final String home;
    private final String title;
    private final String description;

    Product(String home, String title, String description) {
        this.home = home;
        this.title = title;
        this.description = description;
    }

    /** The last part of the image's name. */
    String imageName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Where the tree lies in the image. */
    String home() {
        return home;
    }

    String title() {
        return title;
    }

    String description() {
        return description;
    }

    List<String> entrypoint() {
        return List.of(home + "/runtime/bin/java", "@" + home + "/lib/image.args");
    }
}

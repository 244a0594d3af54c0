package io.forebay.images;

import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.RegistryImage;
import com.google.cloud.tools.jib.frontend.CredentialRetrieverFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A registry to push to, with the credentials that {@code docker login} or {@code podman login} left, or the program that these
 * files name.
 *
 * @param insecure a certificate that nobody signed, or plain HTTP, is taken too; no password is sent over the latter
 * @param environment where the variables are looked up that say where those files are
 */
record Registry(boolean insecure, Map<String, String> environment) {
    Registry {
        environment = Map.copyOf(environment);
    }

    Containerizer target(ImageReference image) {
        var credentials = CredentialRetrieverFactory.forImage(image, event -> {}, environment);
        var target = RegistryImage.named(image);
        for (var file : credentialFiles()) {
            target.addCredentialRetriever(credentials.dockerConfig(file));
        }
        target.addCredentialRetriever(credentials.wellKnownCredentialHelpers());
        return Containerizer.to(target).setAllowInsecureRegistries(insecure);
    }

    /** The first that knows the registry counts. */
    private List<Path> credentialFiles() {
        var files = new ArrayList<Path>();
        add(files, "DOCKER_CONFIG", "config.json");
        add(files, "HOME", ".docker/config.json");
        add(files, "REGISTRY_AUTH_FILE", "");
        add(files, "XDG_RUNTIME_DIR", "containers/auth.json");
        add(files, "XDG_CONFIG_HOME", "containers/auth.json");
        add(files, "HOME", ".config/containers/auth.json");
        return files;
    }

    private void add(List<Path> files, String variable, String below) {
        var value = environment.get(variable);
        if (value != null && !value.isEmpty()) {
            files.add(Path.of(value, below));
        }
    }
}

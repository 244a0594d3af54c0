package io.forebay.images;

import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.RegistryImage;
import com.google.cloud.tools.jib.frontend.CredentialRetrieverFactory;
import java.util.Map;

/**
 * A registry to push to, with the credentials that {@code docker login} or {@code podman login} left.
 *
 * @param insecure plain HTTP, or a certificate that nobody signed, is taken too
 * @param environment where {@code DOCKER_CONFIG}, {@code XDG_RUNTIME_DIR} and {@code HOME} are looked up
 */
record Registry(boolean insecure, Map<String, String> environment) {
    Registry {
        environment = Map.copyOf(environment);
    }

    Containerizer target(ImageReference image) {
        var credentials = CredentialRetrieverFactory.forImage(image, event -> {}, environment);
        var target = RegistryImage.named(image)
                .addCredentialRetriever(credentials.dockerConfig())
                .addCredentialRetriever(credentials.wellKnownCredentialHelpers());
        return Containerizer.to(target).setAllowInsecureRegistries(insecure);
    }
}

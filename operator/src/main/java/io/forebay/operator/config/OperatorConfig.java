package io.forebay.operator.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What an administrator sets, by the environment of the operator's pod ({@code FOREBAY_SIDECAR_IMAGE}, ...) or application.properties. */
@ConfigMapping(prefix = "forebay")
public interface OperatorConfig {
    Sidecar sidecar();

    /** Namespaces that are looked after; absent: all. */
    Optional<List<String>> namespaces();

    /** File with the key that jobs' tokens are made from; absent: the operator makes one up and keeps it while it lives. */
    Optional<Path> tokenKeyFile();

    /** Names of image pull secrets that every pod gets, in the job's own namespace. */
    Optional<List<String>> pullSecrets();

    /** Most that one memory tier may ask for, a quantity; absent: no cap. */
    Optional<String> maxMemoryTier();

    /** Most that one disk tier may ask for, a quantity; absent: no cap. */
    Optional<String> maxDiskTier();

    /** Longest grace period of workers, in seconds, whatever their podTemplate asks for. */
    @WithDefault("600")
    long maxWorkerGrace();

    interface Sidecar {
        /** The image of coordinator and buffer. */
        @WithDefault("forebay/sidecar:latest")
        String image();

        @WithDefault("IfNotPresent")
        String pullPolicy();
    }
}

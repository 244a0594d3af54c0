package io.forebay.sidecar.cli;

import java.io.IOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Reads the version that the build wrote into the jar. */
final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        return new String[] {"forebay " + version()};
    }

    static String version() throws IOException {
        try (var in = VersionProvider.class.getResourceAsStream("/io/forebay/version.properties")) {
            if (in == null) {
                return "unknown (built without resources)";
            }
            var properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown");
        }
    }
}

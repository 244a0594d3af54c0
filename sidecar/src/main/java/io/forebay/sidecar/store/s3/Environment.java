package io.forebay.sidecar.store.s3;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the process was given: environment variables and the user's home. One per process; the stores opened with it share
 * their identities, so that a token is asked for once, not once per store.
 */
public final class Environment implements AutoCloseable {
    private final Map<String, String> variables;
    private final Path home;
    private final Identities identities = new Identities(this);

    public Environment(Map<String, String> variables, Path home) {
        this.variables = Map.copyOf(variables);
        this.home = home;
    }

    /** The same one for all who ask; it lives as long as the process. */
    public static Environment ofProcess() {
        return OfProcess.INSTANCE;
    }

    private static final class OfProcess {
        static final Environment INSTANCE =
                new Environment(System.getenv(), Path.of(System.getProperty("user.home", "/")));
    }

    /** @return absent if it is not set or empty */
    @Nullable
    String variable(String name) {
        var value = variables.get(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /** A file below the user's home, unless a variable names another one. */
    Path file(String variable, String belowHome) {
        var named = variable(variable);
        return named != null ? Path.of(named) : home.resolve(belowHome);
    }

    Identities identities() {
        return identities;
    }

    /** Stops what refreshes credentials. Stores that were opened with it ask anew, should they be used again. */
    @Override
    public void close() {
        identities.close();
    }
}

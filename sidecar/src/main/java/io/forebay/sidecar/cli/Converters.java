package io.forebay.sidecar.cli;

import io.forebay.api.value.Durations;
import io.forebay.sidecar.apart.ListenAddress;
import io.forebay.sidecar.apart.OnSigterm;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How options of the command line are read: strictly, with words that say what would be right. */
final class Converters {
    private Converters() {}

    /** As the manifest writes lengths of time; not zero. */
    static final class Time implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            Duration time;
            try {
                time = Durations.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
            if (time.isZero()) {
                throw new TypeConversionException("'" + text + "' is no time at all");
            }
            return time;
        }
    }

    static final class Address implements ITypeConverter<ListenAddress> {
        @Override
        public ListenAddress convert(String text) {
            try {
                return ListenAddress.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    static final class Sigterm implements ITypeConverter<OnSigterm> {
        @Override
        public OnSigterm convert(String text) {
            return switch (text) {
                case "cancel" -> OnSigterm.CANCEL;
                case "step-down" -> OnSigterm.STEP_DOWN;
                default -> throw new TypeConversionException("'" + text + "' is not known; use cancel or step-down");
            };
        }
    }

    static final class Url implements ITypeConverter<URI> {
        @Override
        public URI convert(String text) {
            try {
                var uri = new URI(text);
                if ("http".equals(uri.getScheme()) && uri.getHost() != null) {
                    return uri;
                }
            } catch (URISyntaxException e) {
                throw bad(text);
            }
            throw bad(text);
        }

        private static TypeConversionException bad(String text) {
            return new TypeConversionException("'" + text
                    + "' is no address of a coordinator; write http://HOST:PORT, as it prints when it listens");
        }
    }
}

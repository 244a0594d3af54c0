package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.http.Origin;
import io.forebay.sidecar.store.s3.http.ProxyChoice.Proxy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * By which implementation each kind of request goes to one bucket; all share identity, trust, proxy and classification of errors.
 * Closed once, with everything that it holds. Thread-safe.
 */
record Roads(Lookups lookups, Control control, DataPath data, SdkCalls calls, SdkCalls patient)
        implements AutoCloseable {
    /** Calls through the SDK at once: they are few, and each may open a connection of its own. */
    private static final int MOST_CALLS = 16;

    /** Opens nothing yet. @throws StoreException the bucket's name or the trusted certificates cannot be used */
    static Roads to(S3Settings settings, Identity identity, Optional<Proxy> proxy, DataPath.Kind kind, S3Errors errors)
            throws StoreException {
        var url = SdkClients.bucketUrl(settings);
        var trust = Trust.of(Origin.of(url), settings.caFile());
        var permits = new Semaphore(Math.clamp(settings.maxConnections() / 4, 1, MOST_CALLS));
        var calls = calls(settings, identity, trust, proxy, S3Settings.CONTROL_TIMEOUT, permits, errors);
        var patient = calls(settings, identity, trust, proxy, S3Settings.COMPLETE_TIMEOUT, permits, errors);
        var control = new Control(calls, patient, settings.bucket(), errors);
        return switch (kind) {
            case LEAN -> {
                var requests = LeanRequests.connect(settings, url, identity, trust, proxy, errors);
                var data = new LeanDataPath(requests, settings.timeouts());
                yield new Roads(new LeanLookups(requests, errors), control, data, calls, patient);
            }
            case SDK -> {
                var data = new SdkDataPath(calls, settings.bucket(), errors);
                yield new Roads(new SdkLookups(calls, settings.bucket(), errors), control, data, calls, patient);
            }
        };
    }

    private static SdkCalls calls(
            S3Settings settings,
            Identity identity,
            Trust trust,
            Optional<Proxy> proxy,
            Duration timeout,
            Semaphore permits,
            S3Errors errors) {
        return new SdkCalls(() -> SdkClients.of(settings, identity, trust, proxy, timeout), permits, errors);
    }

    @Override
    public void close() {
        data.close();
        patient.close();
        calls.close();
    }
}

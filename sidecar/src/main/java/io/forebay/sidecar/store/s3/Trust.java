package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Whose certificates are believed: the system's authorities and, if named, those of a PEM file. */
record Trust(Optional<TrustManager[]> managers) {

    /** @throws StoreException the file cannot be read or holds no certificate */
    static Trust of(@Nullable String caFile) throws StoreException {
        if (caFile == null) {
            return new Trust(Optional.empty());
        }
        try {
            return new Trust(Optional.of(managers(Path.of(caFile))));
        } catch (IOException | GeneralSecurityException | java.nio.file.InvalidPathException e) {
            throw new StoreException(
                    StoreException.Kind.PERMANENT,
                    "caFile '" + caFile + "' cannot be used: " + e.getMessage()
                            + ". Name a readable PEM file of certificates",
                    e,
                    true);
        }
    }

    private static TrustManager[] managers(Path caFile) throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        int n = 0;
        for (var authority : systemAuthorities()) {
            store.setCertificateEntry("system-" + n++, authority);
        }
        int own = 0;
        try (var in = Files.newInputStream(caFile)) {
            for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("own-" + own++, certificate);
            }
        }
        if (own == 0) {
            throw new GeneralSecurityException("no certificate in it");
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static java.security.cert.X509Certificate[] systemAuthorities() throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        for (var manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager x509) {
                return x509.getAcceptedIssuers();
            }
        }
        return new java.security.cert.X509Certificate[0];
    }

    SSLContext context() throws GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.orElse(null), null);
        return context;
    }
}

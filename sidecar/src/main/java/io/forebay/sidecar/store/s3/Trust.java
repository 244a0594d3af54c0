package io.forebay.sidecar.store.s3;

import io.forebay.sidecar.store.StoreException;
import io.forebay.sidecar.store.s3.http.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Whose certificates are believed: the system's authorities and, if named, those of a PEM file. Where a server shows none, nobody's: reading
 * some 300 of them takes longer than bringing a GiB. Read once and shared by all that connect to the server.
 *
 * @param managers empty: nobody is believed
 */
record Trust(TrustManager[] managers) {

    /**
     * @param caFile absent: the system's authorities alone; its content is read only if the origin uses TLS
     * @throws StoreException the file cannot be read or holds no certificate
     */
    static Trust of(Origin origin, @Nullable String caFile) throws StoreException {
        try {
            if (!origin.tls()) {
                requireReadable(caFile);
                return new Trust(new TrustManager[0]);
            }
            return new Trust(caFile == null ? managers((KeyStore) null) : managers(withSystems(Path.of(caFile))));
        } catch (IOException | GeneralSecurityException | InvalidPathException e) {
            throw new StoreException(
                    StoreException.Kind.PERMANENT,
                    caFile == null
                            ? "the system's certificate authorities cannot be read: " + e.getMessage()
                            : "caFile '" + caFile + "' cannot be used: " + e.getMessage()
                                    + ". Name a readable PEM file of certificates",
                    e,
                    true);
        }
    }

    private static void requireReadable(@Nullable String caFile) throws IOException {
        if (caFile != null && !Files.isReadable(Path.of(caFile))) {
            throw new NoSuchFileException(caFile);
        }
    }

    private static KeyStore withSystems(Path caFile) throws IOException, GeneralSecurityException {
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
        return store;
    }

    private static X509Certificate[] systemAuthorities() throws GeneralSecurityException {
        for (var manager : managers((KeyStore) null)) {
            if (manager instanceof X509TrustManager x509) {
                return x509.getAcceptedIssuers();
            }
        }
        return new X509Certificate[0];
    }

    /** @param authorities absent: the system's */
    private static TrustManager[] managers(@Nullable KeyStore authorities) throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(authorities);
        return factory.getTrustManagers();
    }

    SSLContext context() throws GeneralSecurityException {
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers, null);
        return context;
    }
}

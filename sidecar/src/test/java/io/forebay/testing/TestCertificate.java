package io.forebay.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A certificate of nobody's authority, made by the JDK's keytool.
 *
 * @param pem file with the certificate, for clients that are to trust it
 * @param context of a server that shows it
 */
public record TestCertificate(Path pem, SSLContext context) {

    /** @param names as for keytool's SAN extension, {@code dns:localhost,ip:127.0.0.1} */
    public static TestCertificate make(Path folder, String names)
            throws IOException, InterruptedException, GeneralSecurityException {
        var store = folder.resolve("server-" + Math.abs(names.hashCode()) + ".p12");
        var password = "changeit";
        var keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=forebay test",
                        "-ext",
                        "SAN=" + names,
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        password)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool: " + Files.readString(folder.resolve("keytool.log")));
        }
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, password.toCharArray());
        }
        var pem = folder.resolve(store.getFileName() + ".pem");
        Files.writeString(
                pem,
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(keys.getCertificate("server").getEncoded())
                        + "\n-----END CERTIFICATE-----\n");
        var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, password.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return new TestCertificate(pem, context);
    }
}

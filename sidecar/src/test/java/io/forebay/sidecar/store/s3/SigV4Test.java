package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

class SigV4Test {
    private static final AwsBasicCredentials EXAMPLE =
            AwsBasicCredentials.create("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
    private static final Instant DAY = Instant.parse("2013-05-24T00:00:00Z");
    private static final String HOST = "examplebucket.s3.amazonaws.com";

    /** The examples of "Signature Calculations for the Authorization Header", Amazon S3 API reference. */
    @Test
    @DisplayName("signs Amazon's examples as Amazon does")
    void amazonsExamples() {
        assertThat(signature("/", "lifecycle="))
                .endsWith("Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
                .contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date,")
                .contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,");
        assertThat(signature("/", "max-keys=2&prefix=J"))
                .endsWith("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    private static String signature(String path, String query) {
        var headers = new HashMap<String, String>(Map.of("range", "bytes=0-9", "user-agent", "not signed"));
        new SigV4("us-east-1").sign("GET", path, query, HOST, headers, SigV4.EMPTY, EXAMPLE, DAY);
        return headers.get("authorization");
    }

    @Test
    @DisplayName("signs the session token and Content-MD5 too")
    void sessionToken() {
        var headers = new HashMap<String, String>(Map.of("content-md5", "x", "x-amz-meta-mtime", "1"));
        var session = AwsSessionCredentials.create("AKIA", "secret", "token");
        new SigV4("us-east-1").sign("PUT", "/key", "", HOST, headers, SigV4.UNSIGNED, session, DAY);
        assertThat(headers).containsEntry("x-amz-security-token", "token");
        assertThat(headers.get("authorization"))
                .contains(
                        "SignedHeaders=content-md5;host;x-amz-content-sha256;x-amz-date;x-amz-meta-mtime;x-amz-security-token");
    }

    @Test
    @DisplayName("a new day or secret has a new key")
    void newDay() {
        var signer = new SigV4("us-east-1");
        var signatures = new java.util.HashSet<String>();
        for (var day : new Instant[] {DAY, DAY.plusSeconds(86_400), DAY}) {
            for (var credentials :
                    new AwsBasicCredentials[] {EXAMPLE, AwsBasicCredentials.create("AKIAIOSFODNN7EXAMPLE", "other")}) {
                var headers = new HashMap<String, String>();
                signer.sign("GET", "/", "", HOST, headers, SigV4.EMPTY, credentials, day);
                signatures.add(headers.get("authorization"));
            }
        }
        assertThat(signatures).hasSize(4);
    }

    @Test
    @DisplayName("N2 encodes what S3 wants encoded, once, and nothing else")
    void encodes() {
        assertThat(SigV4.encode("a b+c%/d~e_f-g.h/\u00e9\ud83d\ude00:?#&=@$,;'()*!", true))
                .isEqualTo("a%20b%2Bc%25/d~e_f-g.h/%C3%A9%F0%9F%98%80%3A%3F%23%26%3D%40%24%2C%3B%27%28%29%2A%21");
        assertThat(SigV4.encode("a/b", false)).isEqualTo("a%2Fb");
    }
}

package io.forebay.sidecar.store.s3.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyChoiceTest {
    private static String choice(String url, Map<String, String> variables) {
        return ProxyChoice.of(Origin.of(URI.create(url)), variables::get)
                .map(Object::toString)
                .orElse("direct");
    }

    @Test
    @DisplayName("O7 each scheme has its variable, lower case first, ALL_PROXY last")
    void variables() {
        var env = new HashMap<String, String>(
                Map.of("HTTPS_PROXY", "http://s:1", "http_proxy", "p:2", "HTTP_PROXY", "http://x:9"));
        assertThat(choice("https://s3.lab", env)).isEqualTo("http://s:1");
        assertThat(choice("http://s3.lab", env)).isEqualTo("http://p:2");
        assertThat(choice("http://s3.lab", Map.of("ALL_PROXY", "http://a"))).isEqualTo("http://a:80");
        assertThat(choice("http://s3.lab", Map.of("HTTPS_PROXY", "http://s:1", "HTTP_PROXY", "")))
                .isEqualTo("direct");
    }

    @ParameterizedTest
    @CsvSource({
        "minio.lab, direct",
        "lab, direct",
        ".lab, direct",
        "*.lab, direct",
        "'other, lab', direct",
        "*, direct",
        "minio.lab:9000, direct",
        "minio.lab:80, http://p:1",
        "inio.lab, http://p:1",
        "lab.minio, http://p:1",
        "10.0.0.0/8, http://p:1",
        "'', http://p:1"
    })
    @DisplayName("O7 NO_PROXY names hosts, domains and ports")
    void exemptNames(String list, String expected) {
        assertThat(choice("http://minio.lab:9000", Map.of("http_proxy", "http://p:1", "no_proxy", list)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, direct",
        "10.1.2.0/30, direct",
        "10.1.2.4/30, http://p:1",
        "10.1.2.3, direct",
        "x/8, http://p:1",
        "10.0.0.0/99, http://p:1"
    })
    @DisplayName("O7 NO_PROXY names networks")
    void exemptNetworks(String list, String expected) {
        assertThat(choice("http://10.1.2.3:9000", Map.of("http_proxy", "http://p:1", "NO_PROXY", list)))
                .isEqualTo(expected);
    }

    @Test
    @DisplayName("a proxy's password is used but never shown")
    void password() {
        var proxy = ProxyChoice.of(
                        Origin.of(URI.create("http://h")), Map.of("http_proxy", "http://u%40x:p%2Bw+@p:1")::get)
                .orElseThrow();
        assertThat(proxy.user()).isEqualTo("u@x");
        assertThat(proxy.password()).isEqualTo("p+w+");
        assertThat(proxy.toString()).doesNotContain("p+w");
        assertThatThrownBy(() -> choice("http://h", Map.of("http_proxy", "socks5://u:secret@p:1")))
                .hasMessageContaining("HTTP_PROXY")
                .hasMessageNotContaining("secret");
    }
}

package io.forebay.api.name;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    @DisplayName("K9 a newline or an escape sequence in a name makes no line and moves no cursor")
    void names() {
        assertThat(Printable.name("a\nfailed: b\u001b[2J\u007f")).isEqualTo("a\\u000afailed: b\\u001b[2J\\u007f");
        assertThat(Printable.name("plain é 漢 😀")).isEqualTo("plain é 漢 😀");
        assertThat(Printable.name(NameBytes.decode(new byte[] {'q', (byte) 0xff}) + "😀"))
                .isEqualTo("q\\xff😀");
        assertThat(Printable.name(NameBytes.decode("é".getBytes(StandardCharsets.ISO_8859_1))))
                .isEqualTo("\\xe9");
    }

    @Test
    void laterLinesOfAMessageAreIndented() {
        assertThat(Printable.message("its last lines:\nfailed: all\n")).isEqualTo("its last lines:\n  failed: all");
    }
}

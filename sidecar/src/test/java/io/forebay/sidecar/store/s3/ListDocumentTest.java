package io.forebay.sidecar.store.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.sidecar.store.s3.Lookups.Listed;
import io.forebay.sidecar.store.s3.Lookups.Page;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What servers answer to a listing. */
class ListDocumentTest {

    private static Page parse(String text) throws ProtocolException {
        return ListDocument.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String keyed(String key) {
        return "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>" + key
                + "</Key><Size>1</Size></Contents></ListBucketResult>";
    }

    @Test
    @DisplayName("a page as Amazon sends it: what is needed is taken, owners and prefixes are passed over")
    void amazon() throws Exception {
        var page = parse("""
                <?xml version="1.0" encoding="UTF-8"?>
                <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
                  <Name>bucket</Name><Prefix>in/</Prefix><KeyCount>2</KeyCount><MaxKeys>2</MaxKeys>
                  <IsTruncated>true</IsTruncated>
                  <Contents><Key>in/a</Key><LastModified>2026-11-30T21:23:04.123Z</LastModified>
                    <ETag>&quot;0123&quot;</ETag><Size>434234</Size><StorageClass>STANDARD</StorageClass></Contents>
                  <Contents><Owner><ID>1</ID><DisplayName>Key</DisplayName></Owner><Key>in/b</Key><Size>0</Size></Contents>
                  <CommonPrefixes><Prefix>in/deep/</Prefix></CommonPrefixes>
                  <NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=</NextContinuationToken>
                </ListBucketResult>
                """);
        assertThat(page)
                .isEqualTo(new Page(
                        List.of(new Listed("in/a", 434234, "0123", 1_796_073_784_000L), new Listed("in/b", 0, "", -1)),
                        true,
                        "1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM="));
    }

    @Test
    @DisplayName(
            "references, CDATA, comments and attributes with '>' are read as XML says; a prefix of a namespace does not matter")
    void xml() throws Exception {
        var page = parse("\uFEFF<!-- a > b --><s3:ListBucketResult a='>' b=\"/\"><s3:IsTruncated>false</s3:IsTruncated>"
                + "<s3:Contents><s3:Key>a&amp;b &#60;&#x1F600;<![CDATA[<&amp;]]>&#1;</s3:Key><s3:Size> 7 </s3:Size>"
                + "<s3:ETag/></s3:Contents></s3:ListBucketResult>\n");
        assertThat(page.objects()).containsExactly(new Listed("a&b <\uD83D\uDE00<&amp;\u0001", 7, "", -1));
    }

    @Test
    @DisplayName(
            "keys are decoded where the server says that it encoded them, though it says so at the end, and only there")
    void encoding() throws Exception {
        var encoded = "a+b%2Bc%0A%C3%BC";
        assertThat(parse(keyed(encoded)).objects().getFirst().key()).isEqualTo(encoded);
        assertThat(parse(keyed(encoded)
                                .replace("</ListBucketResult>", "<EncodingType>url</EncodingType></ListBucketResult>"))
                        .objects()
                        .getFirst()
                        .key())
                .isEqualTo("a b+c\nü");
    }

    @Test
    @DisplayName(
            "N3 bytes that are not UTF-8 stay apart, in the XML itself and where the server encoded them; U+FFFD itself is a character")
    void notUtf8() throws Exception {
        var raw = keyed("a\u00ff&amp;\u00fe").getBytes(StandardCharsets.ISO_8859_1);
        assertThat(ListDocument.parse(raw).objects().getFirst().key()).isEqualTo("a\udcff&\udcfe");
        for (var key : List.of("a%FFb", "a%ff%62", "a\uFFFD", "%EF%BF%BD", "%C3%A9\u00e9%FF+")) {
            var page = parse(
                    keyed(key).replace("</ListBucketResult>", "<EncodingType>url</EncodingType></ListBucketResult>"));
            assertThat(page.objects().getFirst().key())
                    .isEqualTo(
                            switch (key) {
                                case "a%FFb", "a%ff%62" -> "a\udcffb";
                                case "a\uFFFD" -> "a\uFFFD";
                                case "%EF%BF%BD" -> "\uFFFD";
                                default -> "\u00e9\u00e9\udcff ";
                            });
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType><Contents><Key>a%f</Key><Size>1</Size></Contents></ListBucketResult>",
                "",
                "plain text",
                "<html><body>Log in</body></html>",
                "<Error><Code>SlowDown</Code></Error>",
                "<ListBucketResult></ListBucketResult>",
                "<ListBucketResult><IsTruncated>maybe</IsTruncated></ListBucketResult>",
                "<ListBucketResult><IsTruncated>false</IsTruncated>",
                "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult><more/>",
                "<ListBucketResult><IsTruncated>false</ListBucketResult>",
                "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Size>1</Size></Contents></ListBucketResult>",
                "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents></ListBucketResult>",
                "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
                "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>&unknown;</Key><Size>1</Size></Contents></ListBucketResult>",
                "<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>1</Size><LastModified>today</LastModified></Contents></ListBucketResult>",
                "<!DOCTYPE x [<!ENTITY a 'b'>]><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>",
                "<ListBucketResult><IsTruncated>false</IsTruncated><EncodingType>url</EncodingType><Contents><Key>%zz</Key><Size>1</Size></Contents></ListBucketResult>"
            })
    @DisplayName("I3 what is no whole listing is no empty one")
    void noListing(String document) {
        assertThatThrownBy(() -> parse(document)).isInstanceOf(ProtocolException.class);
    }

    @Test
    @DisplayName("I3 a listing that breaks off anywhere is refused")
    void brokenOff() {
        var whole = keyed("a&amp;b");
        for (int end = 0; end < whole.length(); end++) {
            var part = whole.substring(0, end);
            assertThatThrownBy(() -> parse(part)).as(part).isInstanceOf(ProtocolException.class);
        }
    }
}

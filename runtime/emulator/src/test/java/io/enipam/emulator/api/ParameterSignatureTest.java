package io.enipam.emulator.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ParameterSignatureTest {
    private static final Map<String, String> DOCUMENTED = Map.of(
            "Timestamp", "2016-02-23T12:46:24Z",
            "Format", "XML",
            "AccessKeyId", "testid",
            "Action", "DescribeRegions",
            "SignatureMethod", "HMAC-SHA1",
            "SignatureNonce", "3ee8c1b8-83d3-44af-a94f-4e0ad82fd6cf",
            "Version", "2014-05-26",
            "SignatureVersion", "1.0");

    @Test
    void theDocumentedExampleHasTheDocumentedSignature() {
        String stringToSign = ParameterSignature.stringToSign("GET", DOCUMENTED);

        assertThat(ParameterSignature.sign("testsecret", stringToSign)).isEqualTo("OLeaidS1JvxuMvnyHOwuJ+uX5qY=");
        assertThat(ParameterSignature.matches("testsecret", stringToSign, "OLeaidS1JvxuMvnyHOwuJ+uX5qY="))
                .isTrue();
        assertThat(ParameterSignature.matches("testsecret", stringToSign, "OLeaidS1JvxuMvnyHOwuJ+uX5qZ="))
                .isFalse();
    }

    @Test
    void reservedCharactersAreEncodedAsTheProtocolWants() {
        assertThat(ParameterSignature.stringToSign("POST", Map.of("Key", "a b*c~d/ü", "Signature", "left out")))
                .isEqualTo("POST&%2F&Key%3Da%2520b%252Ac~d%252F%25C3%25BC");
    }
}

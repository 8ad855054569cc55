package io.enipam.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretRedactorTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "password='Zx81kkPPqq99'",
                "password: \"Zx81kkPPqq99\"",
                "secret: 'Zx81kkPPqq99'",
                "PASSWORD=\"hun Zx81kkPPqq99\"",
                "PASSWORD='hun Zx81kkPPqq99'",
                "{\"message\": \"PASSWORD=\\\"hun Zx81kkPPqq99\\\" x\"}",
                "enipam --password Zx81kkPPqq99",
                "enipam --access-key-secret 'a Zx81kkPPqq99'",
                "https://user:Zx81kkPPqq99@host/path",
                "https://user:a@Zx81kkPPqq99@host/path",
                "{\"password\":8123456789}",
                "{\"tokens\":[\"Zx81kkPPqq99\"]}",
                "{\"tokens\":[\"a\", \"]Zx81kkPPqq99\"]}",
                "apiKey=Zx81kkPPqq99",
                "api_key: Zx81kkPPqq99",
                "Cookie: sid=Zx81kkPPqq99; other=Zx81kkPPqq99",
                "Set-Cookie: Zx81kkPPqq99",
                "Authorization: Bearer Zx81kkPPqq99",
                "Authorization: Bearer 81234",
                "{\"Authorization\": \"Basic 81234\"}",
                "AccessKeySecret\tZx81kkPPqq99",
                "access_secret=Zx81kkPPqq99",
                "credentials.access_key_secret  Zx81kkPPqq99  enipam.yaml  the key",
                "{\"key\": \"plugins.demo.api_token\", \"value\": \"Zx81kkPPqq99\", \"source\": \"x\"}",
                "{\n  \"key\": \"a.password\",\n  \"value\": \"Zx81kkPPqq99\"\n}",
                "{\"accessKeySecret\":\"Zx81kkPPqq99\"}",
                "{\"value\": \"{\\\"client_token\\\":\\\"Zx81kkPPqq99\\\"}\"}",
                "password: Zx81kkPPqq99",
                "{\"message\": \"a Signature\\u003dZx81kkPPqq99\\u0026b\"}",
                "AccessKeyId\\u003dLTAIZx81kkPPqq99 was used",
                "Authorization: Bearer Zx81kkPPqq99",
                "STS.Zx81kkPPqq99",
                "-----BEGIN RSA PRIVATE KEY-----\nZx81kkPPqq99\n-----END RSA PRIVATE KEY-----",
                "https://host/?Signature=Zx81kkPPqq99&Action=x"
            })
    void whatLooksLikeASecretIsGone(String text) {
        assertThat(SecretRedactor.redact(text))
                .doesNotContain("Zx81kkPPqq99", "81234")
                .contains("***");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "default/token-0  10.0.0.2  IN_USE",
                "token-0  10.0.0.2  IN_USE",
                "default/token-0: released",
                "{\"pod\": \"default/token-0\", \"tokens\": 3}",
                "tokens: 3",
                "[\"password=\", \"x\", {\"secret=\": 1}]",
                "{\"a\": \"password=\"}",
                "password=\"\"",
                "GET https://10.0.0.1:443/a?mail=a@b",
                "a secret is missing",
                "pool.min_idle  2  default  how many addresses stay idle",
                "default/web-0  10.0.0.2/24  IN_USE  eni-xpvlbyscnqd2lt6s43z5  sim-96603d4dfddd  eth0  7s\n"
            })
    void ordinaryTextStaysReadable(String text) {
        assertThat(SecretRedactor.redact(text)).isEqualTo(text);
    }

    /** A word of a megabyte once kept a thread busy for an hour. */
    @Test
    @Timeout(60)
    void aLongTextCostsNoMoreThanItsLength() {
        String word = "x".repeat(1 << 20);
        String blanks = " ".repeat(1 << 20);
        String quoted = "{\"value\": \"" + "\\\"".repeat(1 << 18) + "\"}";

        assertThat(SecretRedactor.redact(word + " token=abc")).isEqualTo(word + " token=***");
        assertThat(SecretRedactor.redact(blanks + "token=abc")).endsWith("token=***");
        assertThat(SecretRedactor.redact(quoted)).isEqualTo(quoted);
        assertThat(SecretRedactor.redact("token".repeat(1 << 16))).hasSizeGreaterThan(1 << 16);
        for (String part : new String[] {
            "x", " ", "token='", "token=\"", "://a:", "--token-", "\"token\":[\"", "cookie:", "password: \\\""
        }) {
            assertThat(SecretRedactor.redact(part.repeat(1 << 16))).isNotEmpty();
        }
    }
}

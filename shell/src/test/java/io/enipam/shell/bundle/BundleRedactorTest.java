package io.enipam.shell.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.enipam.shell.bundle.BundleCollector.BundleRedactor;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BundleRedactorTest {
    private final BundleRedactor masks =
            BundleRedactor.of(Map.of("MY_API_TOKEN", "from-the-environment", "HOME", "/home/somebody"));

    @Test
    void aSecretOfTheEnvironmentIsGoneWhereverItStands() {
        assertThat(masks.redact("curl x-from-the-environment-y")).isEqualTo("curl x-***-y");
        assertThat(masks.redact("cd /home/somebody")).isEqualTo("cd /home/somebody");
    }

    @Test
    void whatWasJsonStaysJson() {
        String document =
                "{\"token\": \"a\\\"b\", \"n\": 1, \"key\": \"x.secret\", \"list\": [\"password=abc\", \"STS.abcdefgh12\"]}";

        String masked = masks.redact(document);

        assertThat(JsonParser.parseString(masked).getAsJsonObject().get("token").getAsString())
                .isEqualTo("***");
        assertThat(masked).doesNotContain("abcdefgh12").doesNotContain("=abc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"password\": 12345678, \"tokens\": [\"a\", \"b\"], \"tokens\": 3}",
                "{\"a\": \"password='x y\", \"b\": \"it's\", \"c\": \"token=\", \"d\": \"--secret \"}",
                "{\"a\": \"Cookie: x\", \"Authorization\": \"Bearer x\", \"b\": \"http://u:p@h\"}"
            })
    void aDocumentIsStillOneAfterwards(String document) {
        assertThat(JsonParser.parseString(masks.redact(document))
                        .getAsJsonObject()
                        .size())
                .isEqualTo(JsonParser.parseString(document).getAsJsonObject().size());
    }
}

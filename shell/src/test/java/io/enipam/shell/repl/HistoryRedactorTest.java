package io.enipam.shell.repl;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.repl.PersistentHistory.HistoryRedactor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryRedactorTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "x --password hunter2 -o json|x --password *** -o json",
                "x --password=hunter2|x --password=***",
                "x --access-key-secret 'a b' c|x --access-key-secret *** c",
                "x --token \"a \\\" b\" c|x --token *** c",
                "plugin run p d api_key=abc n=1|plugin run p d api_key=*** n=1",
                "run f -v DB_PASSWORD=abc; pool show|run f -v DB_PASSWORD=***; pool show",
                "x '{\"secret\": \"abc\", \"n\": 1}'|x '{\"secret\": ***, \"n\": 1}'",
                "x Authorization: Bearer abc.def|x Authorization: Bearer ***",
                "x LTAI5tAbCdEfGhIjKlMn y|x *** y",
                "x STS.NTabcdefghijkl y|x *** y",
                "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc|x ***",
                "x --passphrase 'never closed|x --passphrase ***"
            })
    void starsStandForWhatIsSecret(String typed, String kept) {
        assertThat(HistoryRedactor.redact(typed)).isEqualTo(kept);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pool inuse | grep token",
                "cni add --pod default/password-manager-0",
                "db get leases/enipam/sim-1/eth0",
                "eni show eni-xpvlbyscnqd2lt6s43z5"
            })
    void allElseStays(String typed) {
        assertThat(HistoryRedactor.redact(typed)).isEqualTo(typed);
    }

    @Test
    void aKeyThatIsPastedIsGoneToItsEnd() {
        assertThat(HistoryRedactor.redact("x -----BEGIN RSA PRIVATE KEY-----\nabc\ndef"))
                .isEqualTo("x ***");
    }
}

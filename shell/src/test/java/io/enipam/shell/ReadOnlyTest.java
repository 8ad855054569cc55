package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.ShellProgram.Terminals;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A shell for looking: with it nothing can be changed, not even by mistake. */
class ReadOnlyTest extends AttachedShell {
    private static final String REFUSED = "this shell is read-only, and nothing was sent (READ_ONLY)";

    private TestShell.Result looking(String line) {
        return program("--read-only", "-c", line);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cni add --pod default/a",
                "cni del --pod default/a",
                "pool sync",
                "pool retry",
                "pool policy watermark",
                "pod delete default/a --yes",
                "eni sweep --yes",
                "gc run",
                "cni gc --valid 1 --yes",
                "db compact",
                "db backup /tmp/x",
                "plugin swap factory cidr --yes",
                "plugin swap cancel",
                "plugin reload cidr-factory",
                "cloud reset",
                "cni add --pod default/a | head",
            })
    void aCommandThatChangesSomethingIsRefusedBeforeAnythingIsSent(String command) {
        TestShell.Result result = looking(command);

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains(REFUSED);
        assertThat(result.out()).isEmpty();
        assertThat(daemon.received()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cloud skew",
                "status",
                "pool inuse",
                "pool policy",
                "cloud latency",
                "db verify",
                "events",
                "gc run --dry-run",
                "eni sweep --dry-run"
            })
    void lookingIsAsEverAndSoIsADryRun(String command) {
        assertThat(looking(command).status()).isZero();
    }

    @Test
    void theEnvironmentCanSaySoAndANoMeansNo() {
        for (String yes : new String[] {"1", "true", "yes"}) {
            assertThat(withVariable(yes).err()).contains(REFUSED);
        }
        for (String no : new String[] {"", "0", "false"}) {
            assertThat(withVariable(no).status()).isZero();
        }
    }

    private TestShell.Result withVariable(String value) {
        return new TestShell(directory, directory)
                .on(new Terminals(false, false, false), Map.of("ENIPAM_READ_ONLY", value))
                .at(directory.resolve("s"), "gc", "run");
    }

    @Test
    void aFileIsNotMadeForWhatIsRefused() {
        looking("gc run > " + directory + "/f");

        assertThat(directory.resolve("f")).doesNotExist();
    }
}

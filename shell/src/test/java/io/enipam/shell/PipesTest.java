package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.v1.CniAddRequest;
import io.enipam.v1.GetEniRequest;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.ListCommandsRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands with filters and files behind them. */
class PipesTest extends AttachedShell {
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "pool show | grep policy | wc -l             ~ 1",
                "pool show | jq -r .pool.policy              ~ watermark",
                "pool inuse | jq -r '.leases[0].pod'         ~ default/web-0",
                "pool show -o json | grep -c '\"policy\"'    ~ 1",
                "pool show --help | grep -c '^Example'       ~ 1",
            })
    void aFilterTakesWhatTheCommandPrints(String line, String seen) {
        TestShell.Result result = run(line);

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo(seen + "\n");
        assertThat(result.status()).isZero();
    }

    @Test
    void aStreamWithoutEndEndsWithHead() {
        TestShell.Result result = run("events -f | head -n 1; version | head -n 1");

        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines()).hasSize(2);
    }

    @Test
    void aCommandThatChangesSomethingIsNotCutShortByHead() {
        TestShell.Result result = run("cni add --pod default/a | head -n 0");

        assertThat(result.status()).isZero();
        assertThat(daemon.cancelled()).isEmpty();
        assertThat(daemon.received()).anyMatch(CniAddRequest.class::isInstance);
    }

    @Test
    void aRunbookThatChangesSomethingIsNotCutShortByHead() {
        TestShell.Result result = new TestShell(directory, directory)
                .at(
                        directory.resolve("s"),
                        "-c",
                        "run -c 'cni add --pod default/a' | head -n 0; run -c 'cni add --pod default/b' | head -n 1");

        assertThat(result.status()).isZero();
        assertThat(daemon.cancelled()).isEmpty();
        assertThat(daemon.received().stream().filter(CniAddRequest.class::isInstance))
                .hasSize(2);
    }

    @Test
    void aWordThatBeginsWithAnAtSignIsNoFileOfWords() throws IOException {
        Path words = java.nio.file.Files.writeString(directory.resolve("words"), "pool show");

        for (String[] args : new String[][] {{"@" + words}, {"-c", "@" + words}, {"pool", "@" + words}}) {
            TestShell.Result result = new TestShell(directory, directory).at(directory.resolve("s"), args);
            assertThat(result.status()).isEqualTo(2);
            assertThat(result.err()).contains("@" + words);
        }
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void aCommandThatFailsFailsItsLineAndLeavesTheFileAlone() {
        refuse(GetPoolRequest.class, "NO", "no", "");

        TestShell.Result result = run("pool show | wc -l > " + directory + "/f; status");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).isEqualTo("enipam: pool show failed: no (NO)\n");
        assertThat(result.out()).isEmpty();
        assertThat(directory.resolve("f")).doesNotExist();
    }

    @Test
    void aGrepThatFindsNothingEndsTheLineInSilence() {
        TestShell.Result result = run("pool show | grep nothing-of-the-kind; status");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out() + result.err()).isEmpty();
    }

    @Test
    void jqAfterATableSaysWhatToDo() {
        TestShell.Result result = run("pool inuse -o table | jq .");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("enipam: jq: what it is given is no JSON")
                .endsWith("Put -o json to the command, and jq right behind it\n");
    }

    @Test
    void aLineThatIsWrongRunsNothing() {
        TestShell.Result result = run("cni add --pod default/a; pool show | grpe x");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).isEqualTo("enipam: unknown filter 'grpe'. Did you mean 'grep'?\n");
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void aCommandThatIsNoneMakesNoFileAndAFileThatCannotBeMadeRunsNoCommand() {
        TestShell.Result typo = run("pol show > " + directory + "/f");
        TestShell.Result nowhere = run("cni add --pod default/a > " + directory + "/no/f");

        assertThat(typo.status()).isEqualTo(2);
        assertThat(directory.resolve("f")).doesNotExist();
        assertThat(nowhere.status()).isEqualTo(1);
        assertThat(nowhere.err()).contains("its directory does not exist. Make the directory first");
        // an unknown word may be a plugin's
        assertThat(daemon.received()).allMatch(ListCommandsRequest.class::isInstance);
    }

    @Test
    void aFileHasWhatTheCommandPrinted() {
        TestShell.Result result = run("pool show > " + directory + "/f; pool show >> " + directory + "/f");

        assertThat(result.out() + result.err()).isEmpty();
        assertThat(directory.resolve("f")).content().contains("policy").hasLineCount(24);
    }

    @Test
    void aDoctorWhoFindsSomethingHasAnsweredAndTheFileHasIt() {
        TestShell.Result result = run("doctor > " + directory + "/f; status");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).startsWith("enipam: doctor: ").contains("WARN or worse");
        assertThat(directory.resolve("f")).content().contains("CRITICAL");
    }

    @Test
    void theNextCommandRunsOnlyIfTheOneBeforeItSucceeded() {
        assertThat(run("eni show eni-1 -o name && pool show -o name").out()).isEqualTo("eni-1\neni-ip\n");

        refuse(GetEniRequest.class, "NOT_FOUND", "there is none", "");
        TestShell.Result failed = run("eni show nope && pool show -o name");
        assertThat(failed.status()).isEqualTo(1);
        assertThat(failed.out()).isEmpty();
    }

    @Test
    void theSystemsShellRunsTheRestOfALineAndReadsWhatACommandPrints() {
        assertThat(run("! echo \"a  b\" | tr a-z A-Z; echo c").out()).isEqualTo("A  B\nc\n");
        assertThat(run("eni show eni-1 -o name | !tr a-z A-Z").out()).isEqualTo("ENI-1\n");
        assertThat(run("eni show eni-1 -o name | grep eni | !cat; exit 3").status())
                .isEqualTo(1);
        TestShell.Result failed = run("! exit 7");
        assertThat(failed.status()).isEqualTo(1);
        assertThat(failed.err()).contains("the system's shell ended with status 7");
        assertThat(run("pool inuse | !").err()).contains("a command of the system's shell is missing");
    }

    @Test
    void aReadOnlyShellHasNoWayOut() {
        for (String line : List.of("! touch " + directory.resolve("x"), "pool show | !tee " + directory.resolve("x"))) {
            TestShell.Result result = program("--read-only", "-c", line);

            assertThat(result.status()).as(line).isEqualTo(2);
            assertThat(result.err()).contains("this shell is read-only");
        }
        assertThat(directory.resolve("x")).doesNotExist();
    }

    @Test
    void anyCommandThatOnlyLooksCanBeWatched() {
        assertThat(run("watch -n 0.1 eni show eni-1 -o name | head -n 3")
                        .out()
                        .lines()
                        .map(line -> line.replaceFirst(" .*", "")))
                .containsExactly("eni-1", "---", "eni-1");
        assertThat(run("watch -n 0.1 'eni show eni-1 -o name | grep -c eni' | head -n 1")
                        .out())
                .isEqualTo("1\n");
        assertThat(run("watch pool warm 5").err()).contains("'pool warm 5' is more than a look");
        assertThat(run("watch events -f").err()).contains("'events' goes on by itself");
        assertThat(run("watch '! date'").err()).contains("is more than a look");
        assertThat(run("watch nonsense").err()).contains("unknown command 'nonsense'");
    }
}

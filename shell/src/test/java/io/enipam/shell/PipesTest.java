package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.v1.CniAddRequest;
import io.enipam.v1.GetPoolRequest;
import java.io.IOException;
import java.nio.file.Path;
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
    void a_filter_takes_what_the_command_prints(String line, String seen) {
        TestShell.Result result = run(line);

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo(seen + "\n");
        assertThat(result.status()).isZero();
    }

    @Test
    void a_stream_without_end_ends_with_head() {
        TestShell.Result result = run("events -f | head -n 1; version | head -n 1");

        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines()).hasSize(2);
    }

    @Test
    void a_command_that_changes_something_is_not_cut_short_by_head() {
        TestShell.Result result = run("cni add --pod default/a | head -n 0");

        assertThat(result.status()).isZero();
        assertThat(daemon.cancelled()).isEmpty();
        assertThat(daemon.received()).anyMatch(CniAddRequest.class::isInstance);
    }

    @Test
    void a_runbook_that_changes_something_is_not_cut_short_by_head() {
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
    void a_word_that_begins_with_an_at_sign_is_no_file_of_words() throws IOException {
        Path words = java.nio.file.Files.writeString(directory.resolve("words"), "pool show");

        for (String[] args : new String[][] {{"@" + words}, {"-c", "@" + words}, {"pool", "@" + words}}) {
            TestShell.Result result = new TestShell(directory, directory).at(directory.resolve("s"), args);
            assertThat(result.status()).isEqualTo(2);
            assertThat(result.err()).contains("@" + words);
        }
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void a_command_that_fails_fails_its_line_and_leaves_the_file_alone() {
        refuse(GetPoolRequest.class, "NO", "no", "");

        TestShell.Result result = run("pool show | wc -l > " + directory + "/f; status");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).isEqualTo("enipam: pool show failed: no (NO)\n");
        assertThat(result.out()).isEmpty();
        assertThat(directory.resolve("f")).doesNotExist();
    }

    @Test
    void a_grep_that_finds_nothing_ends_the_line_in_silence() {
        TestShell.Result result = run("pool show | grep nothing-of-the-kind; status");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out() + result.err()).isEmpty();
    }

    @Test
    void jq_after_a_table_says_what_to_do() {
        TestShell.Result result = run("pool inuse -o table | jq .");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("enipam: jq: what it is given is no JSON")
                .endsWith("Put -o json to the command, and jq right behind it\n");
    }

    @Test
    void a_line_that_is_wrong_runs_nothing() {
        TestShell.Result result = run("cni add --pod default/a; pool show | grpe x");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).isEqualTo("enipam: unknown filter 'grpe'. Did you mean 'grep'?\n");
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void a_command_that_is_none_makes_no_file_and_a_file_that_cannot_be_made_runs_no_command() {
        TestShell.Result typo = run("pol show > " + directory + "/f");
        TestShell.Result nowhere = run("cni add --pod default/a > " + directory + "/no/f");

        assertThat(typo.status()).isEqualTo(2);
        assertThat(directory.resolve("f")).doesNotExist();
        assertThat(nowhere.status()).isEqualTo(1);
        assertThat(nowhere.err()).contains("its directory does not exist. Make the directory first");
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void a_file_has_what_the_command_printed() {
        TestShell.Result result = run("pool show > " + directory + "/f; pool show >> " + directory + "/f");

        assertThat(result.out() + result.err()).isEmpty();
        assertThat(directory.resolve("f")).content().contains("policy").hasLineCount(24);
    }

    @Test
    void a_doctor_who_finds_something_has_answered_and_the_file_has_it() {
        TestShell.Result result = run("doctor > " + directory + "/f; status");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).startsWith("enipam: doctor failed: ").contains("WARN or worse");
        assertThat(directory.resolve("f")).content().contains("CRITICAL");
    }
}

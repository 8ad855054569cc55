package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineSplitterTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "pool show              | [[pool, show]]",
                "a;b ; c                | [[a], [b], [c]]",
                "``                     | []",
                "` ; ;; `               | []",
                "db get 'a;b c'         | [[db, get, a;b c]]",
                "db get \"a;b 'c'\"     | [[db, get, a;b 'c']]",
                "db get a\\;b\\ c       | [[db, get, a;b c]]",
                "db get \"a\\\"b\\\\\"  | [[db, get, a\"b\\]]",
                "db get \"a\\n\"        | [[db, get, a\\n]]",
                "db get 'a\\'           | [[db, get, a\\]]",
                "db get x'y z'\"w\"     | [[db, get, xy zw]]",
                "status # not; this     | [[status]]",
                "db get a#b             | [[db, get, a#b]]",
            })
    void splitsAsAPosixShellWould(String line, String commands) {
        assertThat(CommandLineSplitter.split(line)).hasToString(commands);
    }

    @Test
    void aPipelineIsSplitOutsideOfQuotesAndShowsWhatIsMissing() {
        assertThat(CommandLineSplitter.pipeline("a b|grep 'c|d'"))
                .isEqualTo(List.of(List.of("a", "b"), List.of("grep", "c|d")));
        assertThat(CommandLineSplitter.pipeline("| grep x")).isEqualTo(List.of(List.of(), List.of("grep", "x")));
        assertThat(CommandLineSplitter.pipeline("")).isEqualTo(List.of(List.of()));
    }

    @Test
    void anEmptyWordInQuotesIsAWord() {
        assertThat(CommandLineSplitter.split("db get ''")).isEqualTo(List.of(List.of("db", "get", "")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"db get 'a", "db get \"a", "status \\"})
    void whatIsLeftOpenIsAUsageError(String line) {
        assertThatThrownBy(() -> CommandLineSplitter.split(line))
                .isInstanceOfSatisfying(
                        ShellException.class, e -> assertThat(e.exit()).isEqualTo(ExitStatus.USAGE));
    }
}

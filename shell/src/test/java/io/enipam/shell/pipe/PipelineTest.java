package io.enipam.shell.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.pipe.Filter.Grep;
import io.enipam.shell.pipe.Filter.Head;
import io.enipam.shell.pipe.Pipeline.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PipelineTest {
    @Test
    void aLineIsCommandsWithWhatBecomesOfTheirLines() {
        List<Pipeline> line = Pipeline.parse("pool inuse|grep -v 'a|b' | head -n 3 >> 'my file'; status; pool show>x");

        assertThat(line).hasSize(3);
        assertThat(line.get(0).command()).containsExactly("pool", "inuse");
        assertThat(line.get(0).filters()).hasExactlyElementsOfTypes(Grep.class, Head.class);
        assertThat(line.get(0).redirect()).contains(new Redirect(Path.of("my file"), true));
        assertThat(line.get(1).plain()).isTrue();
        assertThat(line.get(2).command()).containsExactly("pool", "show");
        assertThat(line.get(2).redirect()).contains(new Redirect(Path.of("x"), false));
    }

    @Test
    void quotesProtectEverySign() {
        Pipeline line = Pipeline.parse("db get 'a|b' \">\" x\\>y \\| '>>'").get(0);

        assertThat(line.command()).containsExactly("db", "get", "a|b", ">", "x>y", "|", ">>");
        assertThat(line.plain()).isTrue();
    }

    @Test
    void aValueCannotBecomeAFilterOrAFile() {
        Pipeline line = Pipeline.parse(
                        "pod show $pod | grep $pod", word -> word.equals("$pod") ? "a | head > f; exit" : word)
                .get(0);

        assertThat(line.command()).containsExactly("pod", "show", "a | head > f; exit");
        assertThat(line.filters()).hasSize(1);
        assertThat(line.redirect()).isEqualTo(Optional.empty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "| grep x            ~ a command is missing before '|'",
                "> file              ~ a command is missing before '>'",
                "status |            ~ a filter is missing behind '|'",
                "status | | head     ~ a filter is missing behind '|'",
                "status || head      ~ a filter is missing behind '|'",
                "status | grpe x     ~ unknown filter 'grpe'",
                "status >            ~ a file is missing behind '>'",
                "status > ''         ~ a file is missing behind '>'",
                "status > a b        ~ 'b' stands behind the file",
                "status > a | head   ~ '|' stands behind the file",
                "status > a > b      ~ '>' stands behind the file",
                "status 2> a         ~ only what a command prints can go to a file",
                "status 2>&1         ~ only what a command prints can go to a file",
                "status | grep       ~ grep: missing required parameter: 'PATTERN'",
                "status | grep a b   ~ grep does not know 'b'",
                "status | grep -x b  ~ grep does not know '-x'",
                "status | grep '(a'  ~ grep: '(a' is no pattern: missing closing )",
                "status | head -n x  ~ head: invalid value for option '--lines': 'x' is not an int",
                "status | head -n -1 ~ head: -n is -1, and a number of lines is not negative",
                "status | sort -k 0  ~ sort: words are counted from 1, and -k is 0",
                "status | jq '.a ['  ~ jq: '.a [' is no expression",
            })
    void whatIsWrongIsSaidBeforeAnythingRuns(String line, String why) {
        assertThatThrownBy(() -> Pipeline.parse(line))
                .isInstanceOfSatisfying(
                        ShellException.class, e -> assertThat(e.exit()).isEqualTo(ExitStatus.USAGE))
                .hasMessageStartingWith(why);
    }
}

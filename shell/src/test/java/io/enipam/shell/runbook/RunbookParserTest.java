package io.enipam.shell.runbook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.shell.runbook.Step.Call;
import io.enipam.shell.runbook.Step.Expect;
import io.enipam.shell.runbook.Step.Refused;
import io.enipam.shell.runbook.Step.Retry;
import io.enipam.shell.runbook.Step.Run;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a runbook's text means, and all that may be wrong with it. */
class RunbookParserTest {
    private static Runbook parse(String text, Map<String, String> values) throws BrokenRunbook {
        return RunbookParser.parse("demo", text, values, new FakeCommands());
    }

    private static Step step(String line) throws BrokenRunbook {
        return parse(line, Map.of()).lines().get(0).step();
    }

    private static Call call(String... words) {
        return new Call(List.of(words), words[0].equals("add"));
    }

    private static List<String> problems(String text, Map<String, String> values) {
        try {
            parse(text, values);
        } catch (BrokenRunbook e) {
            return e.problems();
        }
        throw new AssertionError("nothing was found wrong with: " + text);
    }

    @Test
    void each_kind_of_line() throws BrokenRunbook {
        assertThat(step("pool inuse")).isEqualTo(new Run(call("pool", "inuse")));
        assertThat(step("! add x")).isEqualTo(new Refused(call("add", "x")));
        assertThat(step("!add x")).isEqualTo(new Refused(call("add", "x")));
        assertThat(step("expect pool inuse | grep web-0")).isEqualTo(new Expect(call("pool", "inuse"), "web-0", true));
        assertThat(step("expect ! pool inuse|grep 'web 0'"))
                .isEqualTo(new Expect(call("pool", "inuse"), "web 0", false));
        assertThat(step("retry 30s: pool inuse"))
                .isEqualTo(new Retry(Duration.ofSeconds(30), new Run(call("pool", "inuse"))));
        assertThat(step("retry 2m : ! add")).isEqualTo(new Retry(Duration.ofMinutes(2), new Refused(call("add"))));
        assertThat(step("retry 500ms:expect ! pool | grep x"))
                .isEqualTo(new Retry(Duration.ofMillis(500), new Expect(call("pool"), "x", false)));
    }

    @Test
    void quotes_keep_what_would_mean_something() throws BrokenRunbook {
        assertThat(step("db get 'a | b; c # d'")).isEqualTo(new Run(call("db", "get", "a | b; c # d")));
        assertThat(step("expect db get \"a|b\" | grep '|'")).isEqualTo(new Expect(call("db", "get", "a|b"), "|", true));
    }

    @Test
    void comments_and_blank_lines_are_counted_and_skipped() throws BrokenRunbook {
        Runbook runbook = parse("# title\n\n  pool show   # why\n\t# indented\nadd a\r\n", Map.of());

        assertThat(runbook.lines()).extracting(Runbook.Line::number).containsExactly(3, 5);
        assertThat(runbook.lines()).extracting(Runbook.Line::text).containsExactly("pool show   # why", "add a");
        assertThat(runbook.changes()).isEqualTo(1);
    }

    @Test
    void a_value_is_one_word_whatever_is_in_it() throws BrokenRunbook {
        Runbook runbook = parse(
                "retry ${wait}: expect db get x${key} | grep ${text}  # ${nothing}",
                Map.of("key", "a b; exit | 'c", "text", "two words", "wait", "5s"));

        assertThat(runbook.lines().get(0).step())
                .isEqualTo(new Retry(
                        Duration.ofSeconds(5), new Expect(call("db", "get", "xa b; exit | 'c"), "two words", true)));
        assertThat(runbook.lines().get(0).text())
                .isEqualTo("retry 5s: expect db get xa b; exit | 'c | grep two words  # ${nothing}");
    }

    @Test
    void two_dollars_keep_one_and_a_value_is_not_read_again() throws BrokenRunbook {
        Runbook runbook = parse("db get $${key} ${key} $key", Map.of("key", "${key}$1"));

        assertThat(runbook.lines().get(0).step()).isEqualTo(new Run(call("db", "get", "${key}", "${key}$1", "$key")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "unknown                       ~ unknown command 'unknown'. See 'help'",
                "!                             ~ a command is missing",
                "retry 5s:                     ~ a command is missing",
                "retry 5s pool                 ~ retry takes a time and one step. As in: retry 30s: expect pool inuse | grep web-0",
                "retry 5s: retry 5s: pool      ~ retry takes a time and one step. As in: retry 30s: expect pool inuse | grep web-0",
                "retry soon: pool              ~ 'soon' is not a time such as 500ms, 10s or 2m",
                "expect pool                   ~ expect takes a command, '| grep' and one text. As in: expect pool inuse | grep 'default/web-0'",
                "expect pool | grep            ~ expect takes a command, '| grep' and one text. As in: expect pool inuse | grep 'default/web-0'",
                "expect pool | grep a b        ~ expect takes a command, '| grep' and one text. As in: expect pool inuse | grep 'default/web-0'",
                "expect pool | head a          ~ expect takes a command, '| grep' and one text. As in: expect pool inuse | grep 'default/web-0'",
                "expect pool | grep a | grep b ~ expect takes a command, '| grep' and one text. As in: expect pool inuse | grep 'default/web-0'",
                "expect | grep a               ~ a command is missing",
                "pool | grep a                 ~ only expect takes a '|'. As in: expect pool inuse | grep web-0; or put it in quotes",
                "pool; add                     ~ a line takes one command. Put what follows the semicolon on a line of its own, or in quotes",
                "pool 'a                       ~ a quote (') is not closed",
                "pool ${x}                     ~ the variable 'x' has no value. Give it one with -v x=VALUE",
                "pool ${a.b}                   ~ '${a.b}' is no variable. One is ${name}, and $${ is written for ${ itself",
                "pool ${x                      ~ '${x' is no variable. One is ${name}, and $${ is written for ${ itself",
            })
    void a_wrong_line_says_what_is_wrong(String line, String problem) {
        assertThat(problems(line, Map.of())).containsExactly("demo:1: " + problem);
    }

    @Test
    void all_problems_are_found_at_once() {
        assertThat(problems("unknown\n\npool ${pd}\nadd ${pod}\nadd '", Map.of("pod", "x", "pid", "y")))
                .containsExactly(
                        "demo:1: unknown command 'unknown'. See 'help'",
                        "demo:3: the variable 'pd' has no value. Give it one with -v pd=VALUE",
                        "demo:5: a quote (') is not closed",
                        "demo: no line uses the variable 'pid'. Did you mean 'pd'?");
    }

    @Test
    void a_file_without_a_command_proves_nothing() {
        assertThat(problems("# nothing\n\n", Map.of())).containsExactly("demo: there is no command in it");
    }

    @Test
    void the_number_of_problems_is_told() {
        assertThatThrownBy(() -> parse("unknown", Map.of())).hasMessage("demo has 1 problem");
        assertThatThrownBy(() -> parse("unknown\nunknown", Map.of())).hasMessage("demo has 2 problems");
    }
}

package io.enipam.shell.runbook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.runbook.RunbookHeader.Needs;
import io.enipam.shell.runbook.RunbookParser.InvalidRunbookException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a runbook's text means, and all that may be wrong with it. */
class RunbookParserTest {
    @TempDir
    Path directory;

    private static Runbook parse(String text, Map<String, String> values) throws InvalidRunbookException {
        return RunbookParser.parse(ScriptSource.text("demo", text), values, true, new FakeCommandExecutor());
    }

    private static List<String> problems(String text, Map<String, String> values) {
        try {
            parse(text, values);
        } catch (InvalidRunbookException e) {
            return e.problems();
        }
        throw new AssertionError("nothing was found wrong with: " + text);
    }

    private static String plan(String text) throws InvalidRunbookException {
        return parse(text, Map.of()).plan().stream()
                .map(step ->
                        step.place().line() + (step.changes() ? "! " : "  ") + "  ".repeat(step.depth()) + step.text())
                .collect(Collectors.joining("\n"));
    }

    private Path write(String name, String... lines) throws IOException {
        return Files.writeString(directory.resolve(name), String.join("\n", lines) + "\n");
    }

    private List<String> problemsOf(Path file) {
        try {
            RunbookParser.parse(ScriptSource.file(file), Map.of(), true, new FakeCommandExecutor());
        } catch (InvalidRunbookException e) {
            return e.problems().stream()
                    .map(problem -> problem.replace(directory + "/", ""))
                    .toList();
        }
        throw new AssertionError("nothing was found wrong with " + file);
    }

    @Test
    void aBlockWhoseFirstLineIsTooLongHasItsEndAllTheSame() {
        assertThatThrownBy(() -> RunbookParser.parse(
                        ScriptSource.text("demo", "for i in list" + " x".repeat(9_000) + "\n  pool\nend\n"),
                        Map.of(),
                        true,
                        new FakeCommandExecutor()))
                .isInstanceOfSatisfying(
                        InvalidRunbookException.class,
                        broken -> assertThat(broken.problems())
                                .singleElement()
                                .asString()
                                .startsWith("demo:1:1: the line is longer than 16384 characters"));
    }

    @Test
    void aSecretIsNoPartOfWhatIsSaidToBeWrong() {
        String text = "---\nname: demo\nparam token: string secret required\n---\ndel ${token}\nun ${token}";

        assertThat(problems(text + "\nunknown hunter2", Map.of("token", "hunter2")))
                .isNotEmpty()
                .noneMatch(problem -> problem.contains("hunter2"));
    }

    @Test
    void thousandsOfNegationsAreReadLikeOneOrNone() throws InvalidRunbookException {
        assertThat(parse("expect " + "! ".repeat(7_000) + "pool inuse | grep x", Map.of())
                        .size())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pool inuse",
                "! add x",
                "!add x",
                "expect pool inuse | grep web-0",
                "expect ! pool inuse|grep 'web 0'",
                "expect !pool inuse | grep -F [web",
                "expect pool show | jq .idle >= 2",
                "expect pool show | jq .idle>=2",
                "expect pool show | jq '.idle > 2 and .capacity < 9'",
                "expect pool show | jq .names contains 'web 0'",
                "expect pool show | jq .name =~ '^web-[0-9]+$'",
                "expect ! pool show | jq .idle == 2",
                "expect pool inuse | wc -l < 100",
                "expect pool inuse | grep x | wc -l == 0",
                "retry 30s: pool inuse",
                "retry 2m : ! add",
                "retry 500ms:expect ! pool | grep x",
                "retry 5s: set x = pool show | jq .idle\necho ${x}",
                "pool inuse | grep web | head -n 3",
                "pool inuse > /tmp/leases.txt",
                "pool inuse >> leases.txt",
                "confirm 'Sure?'",
                "echo 1 > 2; pool | more",
                "if pool show\npool\nend",
                "if ! pool show | grep x\npool\nelse\nadd\nend",
                "if expect pool show | jq .idle\npool\nend",
                "for n in list 1 2 'a b'\necho ${n}\nend",
                "for n in pool show | jq .names[]\nadd ${n}\nend",
                "on-error\necho ${failure}\nend\npool",
                "pool \\\n  show \\\n  | grep x",
                "expect pool show | jq '.a \\\n | .b' == 1",
                "db get 'a | b; c # d > e'",
                "# title\n\n  pool show   # why\n\t# indented\nadd a\r\n",
            })
    void whatIsARunbook(String text) throws InvalidRunbookException {
        assertThat(parse(text, Map.of()).size()).isPositive();
    }

    @Test
    void blocksNestAndThePlanShowsIt() throws InvalidRunbookException {
        assertThat(plan("""
                        add a
                        if pool show | jq .idle > 2
                          for x in list a b
                            retry 5s: add ${x}
                          end
                        else
                          pool
                        end
                        """)).isEqualTo("""
                        1! add a
                        2  if pool show | jq .idle > 2
                        3    for x in list a b
                        4!     retry 5s: add ${x}
                        2  else
                        7    pool""");
    }

    @Test
    void aValueIsOneWordWhateverIsInIt() throws InvalidRunbookException {
        Runbook runbook = parse(
                "retry ${wait}: expect db get x${key} | grep ${text}  # ${nothing}",
                Map.of("key", "a b; exit | 'c", "text", "two words (", "wait", "5s"));

        assertThat(runbook.plan().get(0).text())
                .isEqualTo("retry 5s: expect db get xa b; exit | 'c | grep two words (  # ${nothing}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "unknown                       ~ 1: unknown command 'unknown'. See 'help'",
                "!                             ~ 1: a command is missing",
                "retry 5s:                     ~ 1: a command is missing",
                "retry 5s pool                 ~ 1: retry takes a time and one step: a command, '! CMD', expect or set. As in: retry 30s: expect pool inuse | grep web-0",
                "retry 5s: retry 5s: pool      ~ 1: retry takes a time and one step: a command, '! CMD', expect or set. As in: retry 30s: expect pool inuse | grep web-0",
                "retry soon: pool              ~ 7: 'soon' is not a time such as 500ms, 10s or 2m",
                "expect pool                   ~ 1: expect needs to know of what. As in: expect pool inuse | grep 'default/web-0'; or: expect pool show | jq .pool.counts.idle >= 2",
                "expect pool | grep            ~ 15: grep: missing required parameter: 'PATTERN'. As in: grep [-v] [-i] [-c] [-F] PATTERN; see 'help pipes'",
                "expect pool | grep a b        ~ 15: grep does not know 'b'. As in: grep [-v] [-i] [-c] [-F] PATTERN; see 'help pipes'",
                "expect pool | head -n 3       ~ 15: a comparison is missing behind 'head'. As in: expect pool inuse | wc -l < 100",
                "expect pool | jq .a == b c    ~ 21: '==' takes one value behind it. Put a value with blanks in quotes, and the whole expression if the sign is part of it",
                "expect pool | jq .a[          ~ 15:",
                "expect pool | jq .a > x > y   ~ 21: '>' takes one value behind it. Put a value with blanks in quotes, and the whole expression if the sign is part of it",
                "expect | grep a               ~ 1: a command is missing",
                "pool | hed                    ~ 8: unknown filter 'hed'. Did you mean 'head'?",
                "pool |                        ~ 1: a filter is missing behind '|'. As in: pool inuse | grep web-0",
                "pool >                        ~ 6: one file stands behind '>', and nothing else",
                "pool; add                     ~ 5: a line takes one command. Put what follows the semicolon on a line of its own, or in quotes",
                "! pool | grep x               ~ 1: what is refused prints nothing to filter. Leave out what stands behind it",
                "pool 'a                       ~ 6: a quote (') is not closed",
                "pool ${x}                     ~ 6: the variable 'x' has no value. Give it one with -v x=VALUE",
                "pool ${a.b}                   ~ 6: '${a.b}' is no variable. One is ${name}, and $${ is written for ${ itself",
                "pool ${x                      ~ 6: '${x' is no variable. One is ${name}, and $${ is written for ${ itself",
                "set x = pool                  ~ 9: set needs a filter that leaves one value. As in: set idle = pool show | jq .pool.counts.idle",
                "set x pool | jq .a            ~ 1: set takes a name, = and a command. As in: set idle = pool show | jq .pool.counts.idle",
                "set 1 = pool | jq .a          ~ 5: '1' is no name of a variable. One is [A-Za-z_][A-Za-z0-9_-]*",
                "set x = pool | jq .a          ~ 5: nothing uses 'x'. Leave it out, or use ${x}",
                "if                            ~ 1: a command is missing",
                "if pool                       ~ 1: 'if' has no 'end'. Put one after its last step",
                "for x pool                    ~ 1: for takes a name, in, and a command or a list. As in: for pod in pool inuse | jq '.leases[].pod'; or: for n in list 1 2 3",
                "for x in pool                 ~ 10: for needs a filter that leaves its items, one a line. As in: for pod in pod list | jq '.pods[].pod'",
                "end                           ~ 1: nothing is open that 'end' could belong to",
                "else                          ~ 1: nothing is open that 'else' could belong to",
                "on-error now                  ~ 10: nothing stands behind on-error. Its steps are on the next lines",
                "confirm                       ~ 1: confirm takes one question. As in: confirm \"Drain the pool of this node?\"",
                "include                       ~ 1: include takes one file. As in: include common.runbook",
                "include ${x}                  ~ 1: a value cannot name a file that is included. As in: include common.runbook",
                "include /nowhere.runbook      ~ 9: there is no file /nowhere.runbook. Name a runbook: a file, or one of 'runbook list'",
            })
    void aWrongLineSaysWhatIsWrongAndWhere(String line, String problem) {
        assertThat(problems(line, Map.of())).anySatisfy(told -> assertThat(told).startsWith("demo:1:" + problem));
    }

    @Test
    void aPatternThatIsNoneIsTold() {
        assertThat(problems("expect pool | jq .a =~ [", Map.of()))
                .singleElement()
                .asString()
                .startsWith("demo:1:24: '[' is no pattern: missing closing ]");
    }

    @Test
    void allProblemsAreFoundAtOnce() {
        assertThat(problems(
                        "unknown\n\npool ${pd}\nif unknown\n  db get x${pod}\n  add '\nelse\n  unknown\nend\nend",
                        Map.of("pod", "x", "pid", "y")))
                .containsExactly(
                        "demo:1:1: unknown command 'unknown'. See 'help'",
                        "demo:3:6: the variable 'pd' has no value. Did you mean 'pid'?",
                        "demo:4:4: unknown command 'unknown'. See 'help'",
                        "demo:6:7: a quote (') is not closed",
                        "demo:8:3: unknown command 'unknown'. See 'help'",
                        "demo:10:1: nothing is open that 'end' could belong to",
                        "demo: no line uses the variable 'pid'. Did you mean 'pd'?");
    }

    @Test
    void whatOnlyOneBranchSetsMayHaveNoValueAfterIt() {
        assertThat(problems("if pool\n  set x = pool | jq .a\nend\necho ${x}", Map.of()))
                .containsExactly(
                        "demo:4:6: the variable 'x' may have no value here. It is set on line 2, which need not have run");
        assertThat(problems("for y in list 1\n  set x = pool | jq .a\nend\necho ${x}", Map.of()))
                .hasSize(1);
        assertThat(problems("on-error\n  echo ${x}\nend\nset x = pool | jq .a\necho ${x}", Map.of()))
                .hasSize(1);
    }

    @Test
    void whatBothBranchesSetHasOne() throws InvalidRunbookException {
        String text = "if pool\n  set x = pool | jq .a\nelse\n  set x = pool | jq .b\nend\necho ${x}";

        assertThat(parse(text, Map.of()).size()).isEqualTo(4);
    }

    @Test
    void aValueNamesNoCommand() {
        assertThat(problems("${x} show", Map.of("x", "pool")))
                .containsExactly(
                        "demo:1:1: a value cannot name a command. Write each command on a line of its own, with an 'if' around it");
        assertThat(problems("pool ${x}", Map.of("x", "show"))).hasSize(1);
    }

    @Test
    void aValueBecomesNoOption() {
        assertThat(problems("db get ${x}", Map.of("x", "--really")))
                .containsExactly("demo:1:1: '${x}' would be read as an option, since its value begins with a dash. Put"
                        + " the option's name before it, as in --option=${x}");
    }

    @Test
    void aValueInJqNeedsNoQuotesAndMustHaveNone() throws InvalidRunbookException {
        assertThat(parse("expect pool | jq '.pod == ${x}'", Map.of("x", "a\" or true or \""))
                        .size())
                .isEqualTo(1);
        assertThat(problems("expect pool | jq '.pod == \"${x}\"'", Map.of("x", "a")))
                .singleElement()
                .asString()
                .contains("no quotes belong around ${...}");
    }

    @Test
    void aCommandIsHeldAgainstTheGrammarAlthoughItsValueIsNotKnownYet() throws InvalidRunbookException {
        assertThat(parse("for p in pool | jq .a[]\n  del ${p}\nend", Map.of()).size())
                .isEqualTo(2);
        assertThat(problems("for p in pool | jq .a[]\n  del x${p}y ${p} z\nend", Map.of()))
                .containsExactly("demo:2:3: a pod is NAMESPACE/NAME");
    }

    @Test
    void theHeaderSaysWhatItIsForAndWhatItTakes() throws InvalidRunbookException {
        Runbook runbook = parse("""
                        ---
                        name: drain-pool
                        # nobody sees this
                        description: Gives idle addresses back,
                        description: all of them.
                        needs: control
                        param keep: integer = 0 "How many may stay."
                        param pod: pod required
                        param how: choice(fast, slow) = slow
                        param key: string = '' secret "Not told."
                        ---
                        add ${keep} ${pod} ${how} ${key}
                        """.replace("choice(fast, slow)", "choice(fast,slow)"), Map.of("pod", "default/a"));

        assertThat(runbook.header().name()).isEqualTo("drain-pool");
        assertThat(runbook.header().description()).isEqualTo("Gives idle addresses back, all of them.");
        assertThat(runbook.needs()).isEqualTo(Needs.CONTROL);
        assertThat(runbook.header().parameters())
                .extracting(parameter -> parameter.name() + " " + parameter.type() + " " + parameter.required() + " "
                        + parameter.secret() + " " + parameter.doc())
                .containsExactly(
                        "keep integer false false How many may stay.",
                        "pod pod true false ",
                        "how choice(fast,slow) false false ",
                        "key string false true Not told.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "nam: x                          ~ 1: 'nam' is no field of a header. Did you mean 'name'?",
                "name: Not A Name                ~ 1: 'Not A Name' is no name of a runbook. One is [a-z][a-z0-9-]*",
                "needs: root                     ~ 1: 'root' is no permission. It is inspect, to look, or control, to change",
                "just text                       ~ 1: 'just text' is no field of a header. As in: name: drain-pool",
                "param x: string                 ~ 1: the parameter 'x' is neither required nor has it a default. Write required, or = VALUE",
                "param x: string required = a    ~ 1: the parameter 'x' is required and has a default. Write required, or = VALUE",
                "param x: nothing                ~ 10: 'nothing' is no type. There are string, integer, duration, boolean, pod, address and choice(a,b)",
                "param x:                        ~ 1: a type is missing. There are string, integer, duration, boolean, pod, address and choice(a,b)",
                "param x: integer = ten          ~ 20: 'ten' is not a whole number",
                "param x: choice(a,b) = c        ~ 24: 'c' is not one of a, b",
                "param x: string = a once        ~ 21: 'once' says nothing of a parameter. After the type come required or = VALUE, secret, and what it is for in double quotes",
                "param 9: string = a             ~ 1: '9' is no name of a parameter. One is [A-Za-z_][A-Za-z0-9_-]*",
            })
    void aWrongHeaderSaysWhatIsWrongAndWhere(String line, String problem) {
        assertThat(problems("---\n" + line + "\n---\npool", Map.of()))
                .anySatisfy(told -> assertThat(told).startsWith("demo:2:" + problem));
    }

    @Test
    void aHeaderWithoutEndIsTold() {
        assertThat(problems("---\nname: x\npool", Map.of()))
                .containsExactly("demo:1:1: the header has no end. It ends with another line ---");
    }

    @Test
    void valuesAreHeldAgainstTheParameters() {
        String text = "---\nname: x\nparam n: integer required \"How many.\"\nparam p: pod = a/b\n---\ndb x${n} ${p}";

        assertThat(problems(text, Map.of()))
                .containsExactly("demo:3:1: the parameter 'n' has no value (How many.). Give it one with -v n=VALUE");
        assertThat(problems(text, Map.of("n", "x", "p", "-", "q", "1")))
                .containsExactly(
                        "demo:3:1: 'x' of the parameter 'n' is not a whole number",
                        "demo:4:1: '-' of the parameter 'p' is not a pod, NAMESPACE/NAME",
                        "demo: it has no parameter 'q'. Did you mean 'n'?");
    }

    @Test
    void toBeCheckedItNeedsNoValues() throws InvalidRunbookException {
        String text = "---\nname: x\nparam p: pod required\n---\ndel ${p}";

        Runbook runbook =
                RunbookParser.parse(ScriptSource.text("demo", text), Map.of(), false, new FakeCommandExecutor());

        assertThat(runbook.plan().get(0).text()).isEqualTo("del ${p}");
    }

    @Test
    void aSecretIsNotEvenToldWhenItIsWrong() {
        String text = "---\nname: x\nparam n: integer required secret\n---\ndb x${n}";

        assertThat(problems(text, Map.of("n", "geheim")))
                .singleElement()
                .asString()
                .doesNotContain("geheim");
    }

    @ParameterizedTest
    @ValueSource(strings = {"add x", "db --dry-run"})
    void aRunbookThatSaysItOnlyLooksHasNoCommandForThoseWhoMayControl(String command) {
        assertThat(problems("---\nname: x\nneeds: inspect\n---\nif pool\n  " + command + "\nend", Map.of()))
                .containsExactly(
                        "demo:6:3: the header says that to inspect is enough for this runbook, and for this command"
                                + " it is not. Write needs: control");
    }

    @Test
    void aParameterNobodyUsesIsTold() {
        assertThat(problems("---\nname: x\nparam n: integer = 1\n---\npool", Map.of()))
                .containsExactly("demo:3:1: nothing uses 'n'. Leave it out, or use ${n}");
    }

    @Test
    void includesAreNamedFromTheFileTheyStandIn() throws Exception {
        Files.createDirectory(directory.resolve("sub"));
        write(
                "sub/inner.runbook",
                "---",
                "name: inner",
                "param n: integer = 1",
                "---",
                "add ${n}",
                "set y = pool | jq .a");
        write("sub/middle.runbook", "include inner.runbook");
        Path main = write("main.runbook", "include sub/middle.runbook", "echo ${y}");

        Runbook runbook = RunbookParser.parse(ScriptSource.file(main), Map.of(), true, new FakeCommandExecutor());

        assertThat(runbook.plan())
                .extracting(step -> directory.relativize(Path.of(step.place().file())) + ":"
                        + step.place().line() + " " + step.depth())
                .containsExactly(
                        "main.runbook:1 0",
                        "sub/middle.runbook:1 1",
                        "sub/inner.runbook:5 2",
                        "sub/inner.runbook:6 2",
                        "main.runbook:2 0");
        assertThat(runbook.changes()).isEqualTo(1);
    }

    @Test
    void aFileThatIncludesItselfUnderWhateverNameIsRefused() throws IOException {
        Path main = write("main.runbook", "pool", "include other.runbook");
        write("other.runbook", "include ./main.runbook", "include link.runbook");
        Files.createSymbolicLink(directory.resolve("link.runbook"), main);

        assertThat(problemsOf(main))
                .containsExactly(
                        "other.runbook:1:9: './main.runbook' includes itself",
                        "other.runbook:2:9: 'link.runbook' includes itself");
    }

    @Test
    void whatIsIncludedSaysWhatItNeeds() throws IOException {
        write("inner.runbook", "---", "name: inner", "param n: integer required", "---", "add ${n}", "unknown");

        assertThat(problemsOf(write("main.runbook", "include inner.runbook")))
                .containsExactly(
                        "inner.runbook:6:1: unknown command 'unknown'. See 'help'",
                        "main.runbook:1:9: what is included needs the variable 'n', and nothing sets it before. Declare"
                                + " a parameter of this name, or set it");
    }

    @Test
    void includesThatNeverEndAreCutOff() throws IOException {
        for (int i = 0; i < 20; i++) {
            write("f" + i + ".runbook", "include f" + (i + 1) + ".runbook");
        }
        assertThat(problemsOf(directory.resolve("f0.runbook")))
                .containsExactly("f7.runbook:1:9: there are more than 8 files in each other");
    }

    @Test
    @Timeout(60)
    void includesThatMultiplyAreCutOff() throws IOException {
        for (int i = 0; i < 7; i++) {
            write("f" + i + ".runbook", ("include f" + (i + 1) + ".runbook\n").repeat(50));
        }
        write("f7.runbook", "pool");

        assertThat(problemsOf(directory.resolve("f0.runbook")))
                .hasSizeLessThanOrEqualTo(100)
                .isNotEmpty();
    }

    @Test
    void blocksDeeperThanAnybodyCanFollowAreRefused() {
        String deep = "if pool\n".repeat(10_000);

        assertThat(problems(deep, Map.of()))
                .contains(
                        "demo:17:1: blocks stand in each other more than 16 deep. Put the inner ones into a runbook of"
                                + " their own, and include it");
    }

    @Test
    void aLineThatNoPersonWroteIsRefused() {
        assertThat(problems("pool " + "x".repeat(20_000), Map.of()))
                .containsExactly("demo:1:1: the line is longer than 16384 characters. Break it up");
        assertThat(problems("pool \\\n".repeat(9_000) + "x", Map.of())).hasSize(1);
    }

    @Test
    void ofManyProblemsTheFirstHundredAreTold() {
        String text = IntStream.range(0, 10_000).mapToObj(i -> "unknown").collect(Collectors.joining("\n"));

        assertThat(problems(text, Map.of())).hasSize(100);
    }

    @Test
    void whatIsNoTextIsNoRunbook() throws IOException {
        Path binary = Files.write(directory.resolve("binary"), new byte[] {'p', 'o', 0, 'l'});
        Path latin = Files.write(directory.resolve("latin"), new byte[] {'p', (byte) 0xe9});
        Path huge = Files.write(directory.resolve("huge"), new byte[300 << 10]);

        assertThatThrownBy(() -> ScriptSource.file(binary).text())
                .isInstanceOf(ShellException.class)
                .hasMessageContaining("zero byte");
        assertThatThrownBy(() -> ScriptSource.file(latin).text()).hasMessageContaining("no text in UTF-8");
        assertThatThrownBy(() -> ScriptSource.file(huge).text()).hasMessageContaining("more than 256 KiB");
        assertThatThrownBy(() -> ScriptSource.file(directory).text()).hasMessageContaining("is a directory");
    }

    @Test
    void aFileWithoutACommandProvesNothing() {
        assertThat(problems("# nothing\n\n", Map.of())).containsExactly("demo: there is no command in it");
    }

    @Test
    void theNumberOfProblemsIsTold() {
        assertThatThrownBy(() -> parse("unknown", Map.of())).hasMessage("demo has 1 problem");
        assertThatThrownBy(() -> parse("unknown\nunknown", Map.of())).hasMessage("demo has 2 problems");
    }

    @Test
    void whatItReadsIsUtf8() throws Exception {
        Path file = Files.write(directory.resolve("f"), "echo \u00fcber\n".getBytes(StandardCharsets.UTF_8));

        assertThat(RunbookParser.parse(ScriptSource.file(file), Map.of(), true, new FakeCommandExecutor())
                        .plan()
                        .get(0)
                        .text())
                .isEqualTo("echo \u00fcber");
    }
}

package io.enipam.shell.runbook;

import static io.enipam.shell.runbook.FakeCommandExecutor.fails;
import static io.enipam.shell.runbook.FakeCommandExecutor.prints;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException.FailureOrigin;
import io.enipam.shell.core.Palette;
import io.enipam.shell.runbook.RunReport.CompositeReport;
import io.enipam.shell.runbook.RunReport.JsonLinesReport;
import io.enipam.shell.runbook.RunReport.TextRunReport;
import io.enipam.shell.runbook.RunbookParser.InvalidRunbookException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a run does and prints, when it stops, and with what. */
class RunbookRunnerTest {
    private final FakeCommandExecutor commands = new FakeCommandExecutor();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private RunResult run(String text) {
        return run(text, Map.of());
    }

    private RunResult run(String text, Map<String, String> values) {
        return run(text, values, new TextRunReport(new PrintStream(out, true, StandardCharsets.UTF_8), Palette.PLAIN));
    }

    private RunResult run(String text, Map<String, String> values, RunReport report) {
        try {
            return new RunbookRunner(commands, report)
                    .run(RunbookParser.parse(ScriptSource.text("demo", text), values, true, commands));
        } catch (InvalidRunbookException e) {
            throw new AssertionError(e.problems().toString(), e);
        }
    }

    private void holds(String text) {
        assertThat(run(text).line()).isEmpty();
    }

    private String failureOf(String text) {
        RunResult verdict = run(text);
        assertThat(verdict.stopped()).isPresent();
        return verdict.line();
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void eachStepIsShownAsAtAPromptWithWhatItPrinted() {
        commands.answer("pool show", prints("kind  eni-ip"))
                .answer("add x", fails(ExitStatus.REFUSED, "add failed: full"));

        run("# a comment\npool show\n! add x\n");

        assertThat(printed()).isEqualTo("""
                        enipam> pool show
                        kind  eni-ip
                        enipam> ! add x
                        enipam: add failed: full
                        # demo: 2 steps done in 0.0 s, 1 of them changed something
                        """);
    }

    @ParameterizedTest
    @EnumSource(
            value = ExitStatus.class,
            names = {"REFUSED", "NOT_ATTACHED", "INTERRUPTED"})
    void aCommandThatFailsEndsTheRunWithItsOwnStatus(ExitStatus exit) {
        commands.answer("add x", fails(exit, "add failed: full (POOL_EXHAUSTED)"));

        RunResult verdict = run("pool show\nadd x\npool idle");

        assertThat(verdict.exit()).isEqualTo(exit);
        assertThat(verdict.line()).isEqualTo("demo:2: add failed: full (POOL_EXHAUSTED)");
        assertThat(commands.ran()).containsExactly("pool show", "add x");
    }

    @Test
    void aRefusalThatDoesNotComeIsUnexpected() {
        assertThat(run("! add x").exit()).isEqualTo(ExitStatus.UNEXPECTED);
        assertThat(failureOf("! add x")).isEqualTo("demo:1: expected 'add x' to fail, and it did not");
    }

    @Test
    void aDaemonThatIsGoneIsNoRefusal() {
        commands.answer("add x", fails(ExitStatus.NOT_ATTACHED, "there is no socket"));

        assertThat(run("! add x").exit()).isEqualTo(ExitStatus.NOT_ATTACHED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"! add x", "if add x\n  echo yes\nelse\n  echo no\nend", "if ! add x\n  echo no\nend"})
    void onlyAnAnswerIsANo(String text) {
        commands.answer("add x", fails(ExitStatus.REFUSED, "add failed: full"));
        holds(text);
        commands.answer("add x", FakeCommandExecutor.finds("one wrong"));
        holds(text);
        assertThat(printed()).doesNotContain("yes");

        for (FailureOrigin origin : new FailureOrigin[] {FailureOrigin.HERE, FailureOrigin.SILENCE}) {
            commands.answer("add x", fails(ExitStatus.REFUSED, "add failed: cannot write /x: disk full", origin));
            RunResult verdict = run(text);
            assertThat(verdict.exit()).isEqualTo(ExitStatus.REFUSED);
            assertThat(verdict.line()).isEqualTo("demo:1: add failed: cannot write /x: disk full");
        }
        for (ExitStatus exit : new ExitStatus[] {ExitStatus.USAGE, ExitStatus.NOT_ATTACHED, ExitStatus.INTERRUPTED}) {
            commands.answer("add x", fails(exit, "add failed: not tried"));
            assertThat(run(text).exit()).isEqualTo(exit);
        }
    }

    @Test
    void whatACheckFoundIsAnAnswerToJudge() {
        commands.answer("doctor", FakeCommandExecutor.finds("{\"n\": 1, \"checks\": [\"a\"]}"));

        holds("set n = doctor | jq .n\nexpect doctor | jq .n == ${n}\nexpect doctor | grep checks\n"
                + "for check in doctor | jq .checks[]\n  echo ${check}\nend\nexpect ! doctor | grep other");
        assertThat(failureOf("expect doctor | jq .n == 0"))
                .isEqualTo("demo:1: expected doctor | jq .n == 0, and saw 1");
        assertThat(run("doctor").exit()).isEqualTo(ExitStatus.REFUSED);
    }

    @Test
    void aLineThatMatchesIsEnough() {
        commands.answer("pool", prints("POD    AGE", "web-0  1s", "web-1  2s"));

        holds("expect pool | grep web-1\nexpect ! pool | grep web-2\nexpect pool | grep 'web-.  2'");

        assertThat(printed()).contains("web-1  2s");
    }

    @Test
    void whatWasSeenInPlaceOfTheTextIsTold() {
        commands.answer("pool", prints("POD         AGE", "web-0       1s"));

        assertThat(run("expect pool | grep web-1").exit()).isEqualTo(ExitStatus.UNEXPECTED);
        assertThat(failureOf("expect pool | grep web-1"))
                .isEqualTo("demo:1: expected a line with 'web-1' from 'pool', and saw: POD  AGE | web-0  1s");
    }

    @Test
    void ofMuchThatWasSeenTheBeginningIsTold() {
        commands.answer("pool", prints("1", "2", "3", "4", "x".repeat(500), "6", "7"));

        assertThat(failureOf("expect pool | grep web-1"))
                .isEqualTo("demo:1: expected a line with 'web-1' from 'pool', and saw: 1 | 2 | 3 | 4 | "
                        + "x".repeat(99) + "\u2026 | and 2 more");
    }

    @Test
    void aLineThatShouldNotBeThereIsQuoted() {
        commands.answer("pool", prints("POD", "web-0"));

        assertThat(failureOf("expect ! pool | grep web"))
                .isEqualTo("demo:1: expected no line with 'web' from 'pool', and there is: web-0");
        assertThat(failureOf("expect ! nothing | grep web\nexpect nothing | grep web"))
                .isEqualTo("demo:2: expected a line with 'web' from 'nothing', and it printed nothing");
    }

    @Test
    void anAbsenceInTheOutputOfACommandThatFailedProvesNothing() {
        commands.answer("pool", fails(ExitStatus.REFUSED, "pool failed: a bug"));

        assertThat(run("expect ! pool | grep web").exit()).isEqualTo(ExitStatus.REFUSED);
        assertThat(run("expect ! pool | jq .a == 1").exit()).isEqualTo(ExitStatus.REFUSED);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                ".n == 5",
                ".n == 5.0",
                ".n == 05",
                ".n != 6",
                ".n < 10",
                ".n <= 5",
                ".n > 4.9",
                ".n >= 5",
                ".n==5",
                ".long == 12345678901234567890",
                ".long > 9",
                ".name == 'web 0'",
                ".name contains b",
                ".took < 2m",
                ".took >= 90s",
                ".took == 1.5m",
                "'.n == 5 and .yes'",
                ".yes",
                ".yes == true",
                ".list == '[1,2]'",
                ".none == null",
                ".name != 5",
                "'.list | length' == 2",
                ".number_in_text == 7.0",
            })
    void comparisonsThatHold(String condition) {
        commands.answer(
                "pool",
                prints(
                        "{",
                        "\"n\": 5, \"long\": \"12345678901234567890\", \"name\": \"web 0\", \"took\": \"90.000s\",",
                        "\"yes\": true, \"list\": [1, 2], \"none\": null, \"number_in_text\": \"7\"}"));

        if (condition.equals(".took == 1.5m")) {
            condition = ".took == 90000ms";
        }
        holds("expect pool | jq " + condition);
    }

    @Test
    void patternsAreSearchedFor() {
        commands.answer("pool", prints("{\"name\": \"web-0\"}"));

        holds("expect pool | jq .name =~ '^web-[0-9]+$'\nexpect ! pool | jq .name =~ '^b'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "pool | jq .n == 6        ~ 4 ~ expected pool | jq .n == 6, and saw 5",
                "pool | jq .n > 5         ~ 4 ~ expected pool | jq .n > 5, and saw 5",
                "! pool | jq .n == 5      ~ 4 ~ expected otherwise than pool | jq .n == 5, and saw 5",
                "pool | jq .no            ~ 4 ~ expected pool | jq .no == true, and saw false",
                "pool | jq .n             ~ 4 ~ expected pool | jq .n == true, and saw 5",
                "pool | jq .list[] == 1   ~ 4 ~ expected one value: pool | jq .list[] == 1, and saw 2 values: 1, 2",
                "pool | jq empty == 1     ~ 4 ~ expected one value: pool | jq empty == 1, and saw nothing",
                "! pool | jq empty == 1   ~ 4 ~ expected one value: pool | jq empty == 1, and saw nothing",
                "pool | jq .name < 3      ~ 2 ~ 'web' < '3' compares what are not two numbers or two times",
                "pool | wc -l > 9         ~ 4 ~ expected pool | wc -l > 9, and saw 1",
                "a == b                   ~ 4 ~ expected 'a' == 'b', and it is not",
            })
    void comparisonsThatDoNotHold(String condition, int status, String why) {
        commands.answer("pool", prints("{\"n\": 5, \"no\": false, \"list\": [1, 2], \"name\": \"web\"}"));

        RunResult verdict = run("expect " + condition);

        assertThat(verdict.line()).isEqualTo("demo:1: " + why);
        assertThat(verdict.exit().status()).isEqualTo(status);
    }

    @Test
    void anExpectationOfALengthShowsWhatWasCountedAndTheQuotesThatWereTyped() {
        commands.answer("pool", prints("{\"list\": [{\"id\":1},{\"id\":2}], \"none\": []}"));

        assertThat(failureOf("expect pool | jq '.list | length' == 0"))
                .isEqualTo("demo:1: expected pool | jq '.list | length' == 0, and saw 2: {\"id\":1} | {\"id\":2}");
        assertThat(failureOf("expect pool | jq '.none | length' == 1"))
                .isEqualTo("demo:1: expected pool | jq '.none | length' == 1, and saw 0");
        assertThat(failureOf("expect pool | grep 'a b'")).startsWith("demo:1: expected a line with 'a b' from 'pool'");
    }

    @Test
    void whatIsNoJsonIsToldByJq() {
        commands.answer("pool", prints("no json"));

        assertThat(failureOf("expect pool | jq .a == 1")).startsWith("demo:1: ").contains("JSON");
    }

    @Test
    void whatACommandLeftIsAValueFromThereOn() {
        commands.answer("pool", prints("{\"n\": 5, \"pod\": \"a; exit | b\"}"));

        holds("""
                set n = pool | jq .n
                set pod = pool | jq .pod
                db ${n} ${pod}
                expect pool | jq '.n == ${n} and .pod == ${pod}'
                if ${n} > 4
                  echo more than four: ${pod}
                end
                """);

        assertThat(commands.ran()).containsExactly("pool", "pool", "db 5 a; exit | b", "pool");
        assertThat(printed()).contains("n = 5\n", "pod = a; exit | b\n", "more than four: a; exit | b\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "jq .none   ~ saw null",
                "jq .list[] ~ saw 2 values",
                "jq empty   ~ saw nothing",
                "grep zzz   ~ saw nothing",
            })
    void aValueThatIsNoneIsUnexpected(String filter, String seen) {
        commands.answer("pool", prints("{\"none\": null, \"list\": [1, 2]}"));

        RunResult verdict = run("set x = pool | " + filter + "\necho ${x}");

        assertThat(verdict.exit()).isEqualTo(ExitStatus.UNEXPECTED);
        assertThat(verdict.line()).endsWith("and " + seen);
    }

    @Test
    void aValueLongerThanAnybodyNeedsIsRefused() {
        commands.answer("pool", prints("\"" + "x".repeat(70_000) + "\""));

        assertThat(failureOf("set x = pool | jq .\necho ${x}"))
                .isEqualTo("demo:1: the value of 'x' has more than 65536 characters");
    }

    @Test
    void branches() {
        commands.answer("pool", prints("{\"n\": 5}")).answer("db", fails(ExitStatus.REFUSED, "no such record"));

        holds("""
                if pool | jq .n > 4
                  add a
                else
                  add b
                end
                if ! pool | grep 7
                  add c
                end
                if db
                  add d
                else
                  if 1 == 2
                    add e
                  end
                  add f
                end
                """);

        assertThat(commands.ran()).containsExactly("pool", "add a", "pool", "add c", "db", "add f");
    }

    @Test
    void aDaemonThatIsGoneIsNoAnswerToAQuestion() {
        commands.answer("pool", fails(ExitStatus.NOT_ATTACHED, "there is no socket"));

        RunResult verdict = run("if pool\n  add a\nend");

        assertThat(verdict.exit()).isEqualTo(ExitStatus.NOT_ATTACHED);
        assertThat(commands.ran()).containsExactly("pool");
    }

    @Test
    void loops() {
        commands.answer("pool", prints("{\"pods\": [\"a/b\", \"c d\", \"5\"]}"));

        holds("""
                for p in pool | jq .pods[]
                  for n in list 1 ${p}
                    db ${n}
                  end
                end
                for p in pool | jq '.pods[] | select(. == "none")'
                  add never
                end
                """);

        assertThat(commands.ran()).containsExactly("pool", "db 1", "db a/b", "db 1", "db c d", "db 1", "db 5", "pool");
    }

    @Test
    void aLoopOverMoreThanAnybodyWantsIsRefused() {
        commands.answer("pool", prints("10001"));

        RunResult verdict = run("for n in pool | jq range(.)\n  add ${n}\nend");

        assertThat(verdict.line()).isEqualTo("demo:1: there are 10001 items, and 10000 at most");
        assertThat(commands.ran()).containsExactly("pool");
    }

    @Test
    void aRunWithoutEndIsCutOff() {
        commands.answer("pool", prints("400"));

        assertThat(failureOf(
                        "for n in pool | jq range(.)\n  for m in pool | jq range(.)\n    echo ${n} ${m}\n  end\nend"))
                .isEqualTo("demo:3: the run has more than 100000 steps");
    }

    @Test
    void aRetriedStepMayFailUntilItHolds() {
        commands.answer("pool", prints("a"), prints("a"), prints("a", "b"));

        holds("retry 10s: expect pool | grep b");

        assertThat(commands.ran()).hasSize(3);
        assertThat(commands.elapsed()).isEqualTo(Duration.ofSeconds(1));
        assertThat(printed())
                .startsWith("enipam> retry 10s: expect pool | grep b\na\nb\n# at the try 3, after 1.0 s\n");
    }

    @Test
    void aValueCanBeWaitedFor() {
        commands.answer("pool", prints("{}"), prints("{\"a\": 1}"));

        holds("retry 10s: set a = pool | jq '.a // empty'\necho ${a}");
    }

    @Test
    void theTimeOverItFailsWithTheLastReason() {
        commands.answer("pool", prints("a"));

        assertThat(failureOf("retry 1200ms: expect pool | grep b"))
                .isEqualTo("demo:1: expected a line with 'b' from 'pool', and saw: a; the last of 4 tries");
        assertThat(commands.elapsed()).isEqualTo(Duration.ofMillis(1200));
    }

    @Test
    void anInterruptEndsTheWaitingAndNothingIsDoneAfterIt() {
        commands.answer("pool", prints("a")).interruptedAt(Duration.ofSeconds(3));

        RunResult verdict = run("on-error\n  add cleanup\nend\nretry 1h: expect pool | grep b");

        assertThat(verdict.exit()).isEqualTo(ExitStatus.INTERRUPTED);
        assertThat(commands.elapsed()).isEqualTo(Duration.ofSeconds(3));
        assertThat(commands.ran()).doesNotContain("add cleanup");
    }

    @Test
    void aCommandThatIsNoneIsNotTriedAgain() {
        commands.answer("pool", fails(ExitStatus.USAGE, "no"));

        assertThat(run("retry 1h: pool").exit()).isEqualTo(ExitStatus.USAGE);
        assertThat(commands.elapsed()).isZero();
    }

    @Test
    void whatIsToBeDoneAfterAFailureIsDoneOnceAndHidesNothing() {
        commands.answer("add b", fails(ExitStatus.REFUSED, "full"))
                .answer("add undo", fails(ExitStatus.REFUSED, "not even that"));

        RunResult verdict = run("""
                add before
                on-error
                  echo because ${failure}
                  add undo
                  add never
                end
                if 1 == 1
                  add b
                end
                add after
                """);

        assertThat(commands.ran()).containsExactly("add before", "add b", "add undo");
        assertThat(verdict.exit()).isEqualTo(ExitStatus.REFUSED);
        assertThat(verdict.line()).isEqualTo("demo:8: full; on-error failed too: demo:4: not even that");
        assertThat(printed()).contains("because demo:8: full\n");
    }

    @Test
    void aFailureBeforeItIsNoneOfItsBusiness() {
        commands.answer("add a", fails(ExitStatus.REFUSED, "full"));

        run("add a\non-error\n  add undo\nend\nadd b");

        assertThat(commands.ran()).containsExactly("add a");
    }

    @Test
    void aQuestionIsAskedWithItsValuesAndNoEndsIt() {
        commands.disagreeing();

        RunResult verdict = run("on-error\n  add undo\nend\nconfirm \"Drain ${node}?\"\nadd x", Map.of("node", "n 1"));

        assertThat(commands.questions()).containsExactly("Drain n 1?");
        assertThat(verdict.exit()).isEqualTo(ExitStatus.INTERRUPTED);
        assertThat(verdict.line()).isEqualTo("demo:4: not confirmed");
        assertThat(commands.ran()).isEmpty();
    }

    @Test
    void withYesItGoesOn() {
        holds("confirm Sure?\nadd x");

        assertThat(commands.ran()).containsExactly("add x");
    }

    @Test
    void aSecretIsPrintedNowhere() {
        commands.answer("db --key=s\"cret", prints("you sent s\"cret", "{\"k\": \"s\\\"cret\"}"))
                .answer("pool", fails(ExitStatus.REFUSED, "bad key s\"cret"));
        String text = "---\nname: x\nparam key: string required secret\n---\n"
                + "echo ${key}\ndb --key=${key}\nexpect db --key=${key} | grep nothing\n";
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        ByteArrayOutputStream xml = new ByteArrayOutputStream();
        RunReport all = new CompositeReport(java.util.List.of(
                new TextRunReport(new PrintStream(out, true, StandardCharsets.UTF_8), Palette.PLAIN),
                new JsonLinesReport(new PrintStream(lines, true, StandardCharsets.UTF_8)),
                new JunitReport(new PrintStream(xml, true, StandardCharsets.UTF_8), "node-1")));

        RunResult verdict = run(text, Map.of("key", "s\"cret"), all);

        assertThat(commands.ran()).contains("db --key=s\"cret");
        assertThat(verdict.line()).contains("***").doesNotContain("cret");
        assertThat(printed()).contains("echo ***\n***\n", "you sent ***").doesNotContain("cret");
        assertThat(lines.toString(StandardCharsets.UTF_8)).contains("***").doesNotContain("cret");
        assertThat(xml.toString(StandardCharsets.UTF_8)).contains("***").doesNotContain("cret");
    }

    @Test
    void whatChangesThingsOnlyWithSomeValueIsNotDoneUnannounced() {
        commands.answer("pool", prints("\"--really\""));

        RunResult verdict = run("set how = pool | jq .\ndb x ${how}");

        assertThat(verdict.exit()).isEqualTo(ExitStatus.USAGE);
        assertThat(verdict.line()).contains("would be read as an option");
        assertThat(commands.ran()).containsExactly("pool");
    }

    @ParameterizedTest
    @Timeout(120)
    @ValueSource(
            strings = {
                "'last(range(1e15))'",
                "'[range(1e4) | range(1e9) | select(. < 0)]'",
                "'def f: f; f'",
                "'until(false; .)'",
            })
    void aJqWithoutEndIsCutOff(String expression) {
        commands.answer("pool", prints("1"));

        assertThat(failureOf("expect pool | jq " + expression)).contains("does not come to an end");
    }

    @Test
    void controlCharactersInValuesReachNoTerminal() {
        commands.answer("pool", prints("\"a\\u001b[2Jb\\u009bc\""));

        holds("set x = pool | jq .\necho ${x}\n");

        assertThat(printed()).doesNotContain("\u001b", "\u009b");
    }
}

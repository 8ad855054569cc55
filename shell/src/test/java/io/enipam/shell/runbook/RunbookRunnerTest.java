package io.enipam.shell.runbook;

import static io.enipam.shell.runbook.FakeCommands.fails;
import static io.enipam.shell.runbook.FakeCommands.prints;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.Palette;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a run prints, when it stops, and with what. */
class RunbookRunnerTest {
    private final FakeCommands commands = new FakeCommands();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private void run(String text) throws BrokenRunbook {
        run(text, Palette.PLAIN);
    }

    private void run(String text, Palette palette) throws BrokenRunbook {
        new RunbookRunner(commands, commands, new PrintStream(out, true, StandardCharsets.UTF_8), palette)
                .run(RunbookParser.parse("demo", text, Map.of(), commands));
    }

    private ShellException failureOf(String text) {
        return Assertions.catchThrowableOfType(ShellException.class, () -> run(text));
    }

    private String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void each_step_is_shown_as_at_a_prompt_with_what_it_printed() throws BrokenRunbook {
        commands.answer("pool show", prints("kind  eni-ip")).answer("add x", fails(Exit.REFUSED, "add failed: full"));

        run("# a comment\npool show\n! add x\n");

        assertThat(printed()).isEqualTo("""
                        enipam> pool show
                        kind  eni-ip
                        enipam> ! add x
                        enipam: add failed: full
                        """);
    }

    @Test
    void the_prompt_is_dimmed_where_that_can_be_seen() throws BrokenRunbook {
        run("pool show", Palette.COLOUR);

        assertThat(printed()).isEqualTo("\u001b[2menipam> pool show\u001b[0m\n");
    }

    @ParameterizedTest
    @EnumSource(
            value = Exit.class,
            names = {"REFUSED", "NOT_ATTACHED", "INTERRUPTED"})
    void a_command_that_fails_ends_the_run_with_its_own_status(Exit exit) {
        commands.answer("add x", fails(exit, "add failed: full (POOL_EXHAUSTED)"));

        ShellException e = failureOf("pool show\nadd x\npool idle");

        assertThat(e.exit()).isEqualTo(exit);
        assertThat(e).hasMessage("demo:2: add failed: full (POOL_EXHAUSTED)");
        assertThat(commands.ran()).containsExactly("pool show", "add x");
    }

    @Test
    void a_refusal_that_does_not_come_is_unexpected() {
        ShellException e = failureOf("! add x");

        assertThat(e.exit()).isEqualTo(Exit.UNEXPECTED);
        assertThat(e).hasMessage("demo:1: expected 'add x' to fail, and it did not");
    }

    @Test
    void a_daemon_that_is_gone_is_no_refusal() {
        commands.answer("add x", fails(Exit.NOT_ATTACHED, "there is no socket"));

        assertThat(failureOf("! add x").exit()).isEqualTo(Exit.NOT_ATTACHED);
    }

    @Test
    void a_line_with_the_text_is_enough() throws BrokenRunbook {
        commands.answer("pool", prints("POD    AGE", "web-0  1s", "web-1  2s"));

        run("expect pool | grep web-1\nexpect ! pool | grep web-2");

        assertThat(printed()).contains("web-1  2s");
    }

    @Test
    void what_was_seen_in_place_of_the_text_is_told() {
        commands.answer("pool", prints("POD         AGE", "web-0       1s"));

        ShellException e = failureOf("expect pool | grep web-1");

        assertThat(e.exit()).isEqualTo(Exit.UNEXPECTED);
        assertThat(e).hasMessage("demo:1: expected a line with 'web-1' from 'pool', and saw: POD  AGE | web-0  1s");
    }

    @Test
    void of_much_that_was_seen_the_beginning_is_told() {
        commands.answer("pool", prints("1", "2", "3", "4", "x".repeat(500), "6", "7"));

        assertThat(failureOf("expect pool | grep web-1"))
                .hasMessage("demo:1: expected a line with 'web-1' from 'pool', and saw: 1 | 2 | 3 | 4 | "
                        + "x".repeat(99) + "\u2026 | and 2 more");
    }

    @Test
    void nothing_printed_is_told_too() {
        assertThat(failureOf("expect pool | grep web-1"))
                .hasMessage("demo:1: expected a line with 'web-1' from 'pool', and it printed nothing");
    }

    @Test
    void a_line_that_should_not_be_there_is_quoted() {
        commands.answer("pool", prints("POD", "web-0"));

        ShellException e = failureOf("expect ! pool | grep web");

        assertThat(e.exit()).isEqualTo(Exit.UNEXPECTED);
        assertThat(e).hasMessage("demo:1: expected no line with 'web' from 'pool', and there is: web-0");
    }

    @Test
    void an_absence_in_the_output_of_a_command_that_failed_proves_nothing() {
        commands.answer("pool", fails(Exit.REFUSED, "pool failed: a bug"));

        assertThat(failureOf("expect ! pool | grep web").exit()).isEqualTo(Exit.REFUSED);
    }

    @Test
    void colours_do_not_come_between() {
        commands.answer("pool", prints("2 \u001b[32midle\u001b[0m now"));

        assertThatCode(() -> run("expect pool | grep '2 idle now'")).doesNotThrowAnyException();
    }

    @Test
    void a_retry_ends_with_the_first_try_that_holds_and_shows_that_one() throws BrokenRunbook {
        commands.answer(
                "pool", fails(Exit.NOT_ATTACHED, "not there yet"), prints("web-0"), prints("web-1"), prints("web-2"));

        run("retry 30s: expect pool | grep web-1");

        assertThat(commands.ran()).hasSize(3);
        assertThat(commands.elapsed()).isEqualTo(Duration.ofSeconds(1));
        assertThat(printed()).isEqualTo("enipam> retry 30s: expect pool | grep web-1\nweb-1\n");
    }

    @Test
    void a_retry_waits_for_a_refusal_too() throws BrokenRunbook {
        commands.answer("add x", prints(), fails(Exit.REFUSED, "full"));

        run("retry 1s: ! add x");

        assertThat(commands.ran()).hasSize(2);
    }

    @Test
    void a_retry_that_never_holds_tries_for_the_last_time_at_its_end() {
        commands.answer("pool", prints("web-0"));

        ShellException e = failureOf("retry 1200ms: expect pool | grep web-1");

        assertThat(commands.elapsed()).isEqualTo(Duration.ofMillis(1200));
        assertThat(e.exit()).isEqualTo(Exit.UNEXPECTED);
        assertThat(e)
                .hasMessage("demo:1: expected a line with 'web-1' from 'pool', and saw: web-0; the last of 4 tries");
    }

    @Test
    void a_retry_of_a_command_keeps_its_status() {
        commands.answer("add x", fails(Exit.REFUSED, "add failed: full"));

        assertThat(failureOf("retry 1s: add x").exit()).isEqualTo(Exit.REFUSED);
    }

    @Test
    void an_interrupt_ends_a_retry() {
        commands.answer("pool", prints("web-0")).interruptedAt(Duration.ofSeconds(2));

        ShellException e = failureOf("retry 5m: expect pool | grep web-1");

        assertThat(e.exit()).isEqualTo(Exit.INTERRUPTED);
        assertThat(commands.elapsed()).isEqualTo(Duration.ofSeconds(2));
    }
}

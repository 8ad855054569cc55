package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.attach.ShellException.FailureOrigin;
import io.enipam.shell.pipe.Pipeline;
import io.enipam.shell.pipe.PipelineExecution;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Commands that answer from a script, in a time of their own. A command that begins with "add" changes things, one that
 * begins with "un" is unknown, and "del" takes nothing but a pod.
 */
final class FakeCommandExecutor implements CommandExecutor {
    private final Map<String, Deque<Outcome>> script = new HashMap<>();
    private final List<String> ran = new ArrayList<>();
    private final List<String> questions = new ArrayList<>();
    private boolean agrees = true;
    private long nanos;
    private Duration interruptedAt = Duration.ofDays(365);

    /** What a command comes to, call by call; the last is repeated. */
    FakeCommandExecutor answer(String command, Outcome... outcomes) {
        script.put(command, new ArrayDeque<>(List.of(outcomes)));
        return this;
    }

    FakeCommandExecutor interruptedAt(Duration elapsed) {
        interruptedAt = elapsed;
        return this;
    }

    FakeCommandExecutor disagreeing() {
        agrees = false;
        return this;
    }

    static Outcome prints(String... lines) {
        return new Outcome(0, String.join("\n", lines) + (lines.length == 0 ? "" : "\n"), "", Optional.empty());
    }

    static Outcome fails(ExitStatus exit, String error) {
        return fails(exit, error, exit == ExitStatus.REFUSED ? FailureOrigin.DAEMON : FailureOrigin.HERE);
    }

    static Outcome fails(ExitStatus exit, String error, FailureOrigin origin) {
        return new Outcome(exit.status(), "", error, Optional.of(origin));
    }

    /** A check that found something: it prints all of it, and has the status of a no. */
    static Outcome finds(String... lines) {
        return new Outcome(
                ExitStatus.REFUSED.status(),
                String.join("\n", lines) + "\n",
                "doctor failed: 1 finding",
                Optional.of(FailureOrigin.VERDICT));
    }

    List<String> ran() {
        return ran;
    }

    List<String> questions() {
        return questions;
    }

    Duration elapsed() {
        return Duration.ofNanos(nanos);
    }

    @Override
    public Known known(List<String> words) {
        String first = words.get(0);
        if (first.startsWith("un")) {
            throw new ShellException(ExitStatus.USAGE, "", "unknown command '" + first + "'", "See 'help'");
        }
        if (first.equals("del") && words.stream().skip(1).anyMatch(word -> !word.contains("/"))) {
            throw new ShellException(ExitStatus.USAGE, "", "a pod is NAMESPACE/NAME", "");
        }
        boolean changes = first.equals("add") || words.contains("--really");
        return new Known(
                changes, changes || words.contains("--dry-run"), first.equals("pool") && words.size() > 1 ? 2 : 1);
    }

    @Override
    public Outcome run(Pipeline pipeline) {
        String command = String.join(" ", pipeline.command());
        ran.add(command);
        Deque<Outcome> outcomes = script.getOrDefault(command, new ArrayDeque<>(List.of(prints())));
        Outcome outcome = outcomes.size() > 1 ? outcomes.removeFirst() : outcomes.getFirst();
        return pipeline.plain() || !outcome.whole() ? outcome : filtered(pipeline, outcome);
    }

    private static Outcome filtered(Pipeline pipeline, Outcome outcome) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(kept, true, StandardCharsets.UTF_8);
                PipelineExecution flow = new PipelineExecution(pipeline, out, false, () -> {})) {
            flow.input().print(outcome.output());
            boolean found = flow.end(true);
            String output = kept.toString(StandardCharsets.UTF_8);
            return outcome.done()
                    ? new Outcome(found ? 0 : 1, output, "", Optional.empty())
                    : new Outcome(outcome.status(), output, outcome.error(), outcome.origin());
        } catch (ShellException e) {
            return new Outcome(e.exit().status(), "", e.sentence(), Optional.of(e.origin()));
        }
    }

    @Override
    public boolean agreed(String question) {
        questions.add(question);
        return agrees;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public Instant now() {
        return Instant.parse("2026-11-21T12:00:00Z").plusNanos(nanos);
    }

    @Override
    public boolean pause(Duration span) {
        nanos += span.toNanos();
        return elapsed().compareTo(interruptedAt) < 0;
    }
}

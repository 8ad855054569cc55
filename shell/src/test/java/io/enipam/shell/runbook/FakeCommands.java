package io.enipam.shell.runbook;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Commands that answer from a script, in a time of their own. A command that begins with "add" changes things. */
final class FakeCommands implements Commands, Pace {
    private final Map<String, Deque<Outcome>> script = new HashMap<>();
    private final List<String> ran = new ArrayList<>();
    private long nanos;
    private Duration interruptedAt = Duration.ofDays(365);

    /** What a command comes to, call by call; the last is repeated. */
    FakeCommands answer(String command, Outcome... outcomes) {
        script.put(command, new ArrayDeque<>(List.of(outcomes)));
        return this;
    }

    FakeCommands interruptedAt(Duration elapsed) {
        interruptedAt = elapsed;
        return this;
    }

    static Outcome prints(String... lines) {
        return new Outcome(0, String.join("\n", lines) + (lines.length == 0 ? "" : "\n"), "");
    }

    static Outcome fails(Exit exit, String error) {
        return new Outcome(exit.status(), "", error);
    }

    List<String> ran() {
        return ran;
    }

    Duration elapsed() {
        return Duration.ofNanos(nanos);
    }

    @Override
    public boolean changes(List<String> words) {
        if (words.get(0).startsWith("un")) {
            throw new ShellException(Exit.USAGE, "", "unknown command '" + words.get(0) + "'", "See 'help'");
        }
        return words.get(0).equals("add");
    }

    @Override
    public Outcome run(List<String> words) {
        String command = String.join(" ", words);
        ran.add(command);
        Deque<Outcome> outcomes = script.getOrDefault(command, new ArrayDeque<>(List.of(prints())));
        return outcomes.size() > 1 ? outcomes.removeFirst() : outcomes.getFirst();
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public boolean pause(Duration span) {
        nanos += span.toNanos();
        return elapsed().compareTo(interruptedAt) < 0;
    }
}

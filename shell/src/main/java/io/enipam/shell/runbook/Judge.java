package io.enipam.shell.runbook;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.render.Palette;
import io.enipam.shell.render.Table;
import io.enipam.shell.runbook.Commands.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Holds what came of a command against what its step expects. */
final class Judge {
    private static final int LINES_SHOWN = 5;
    private static final int WIDTH_SHOWN = 100;

    private Judge() {}

    /**
     * Why a step does not hold.
     *
     * @param why in one line, without a full stop
     */
    record Failure(Exit exit, String why) {}

    /** Why the step does not hold; empty if it does. */
    static Optional<Failure> judge(Step.Single step, Outcome outcome) {
        if (step instanceof Step.Refused) {
            return refused(step, outcome);
        }
        if (outcome.status() != Exit.DONE.status()) {
            return Optional.of(broken(step, outcome));
        }
        return step instanceof Step.Expect expect ? expected(expect, outcome) : Optional.empty();
    }

    private static Optional<Failure> refused(Step.Single step, Outcome outcome) {
        if (outcome.status() == Exit.REFUSED.status()) {
            return Optional.empty();
        }
        return Optional.of(
                outcome.status() == Exit.DONE.status()
                        ? new Failure(Exit.UNEXPECTED, "expected '" + step.call() + "' to fail, and it did not")
                        : broken(step, outcome));
    }

    private static Failure broken(Step.Single step, Outcome outcome) {
        return new Failure(
                Exit.of(outcome.status()),
                outcome.error().isEmpty()
                        ? "'" + step.call() + "' ended with status " + outcome.status()
                        : outcome.error());
    }

    private static Optional<Failure> expected(Step.Expect expect, Outcome outcome) {
        List<String> lines = Palette.plain(outcome.output()).lines().toList();
        Optional<String> found =
                lines.stream().filter(line -> line.contains(expect.text())).findFirst();
        if (found.isPresent() == expect.present()) {
            return Optional.empty();
        }
        String line = " line with '" + expect.text() + "' from '" + expect.call() + "', and ";
        return Optional.of(new Failure(
                Exit.UNEXPECTED,
                found.map(there -> "expected no" + line + "there is: " + shown(there))
                        .orElseGet(() -> "expected a" + line + seen(lines))));
    }

    private static String seen(List<String> lines) {
        if (lines.isEmpty()) {
            return "it printed nothing";
        }
        int more = lines.size() - LINES_SHOWN;
        return "saw: "
                + lines.stream().limit(LINES_SHOWN).map(Judge::shown).collect(Collectors.joining(" | "))
                + (more > 0 ? " | and " + more + " more" : "");
    }

    private static String shown(String line) {
        return Table.clipped(line.strip().replaceAll(" {2,}", "  "), WIDTH_SHOWN);
    }
}

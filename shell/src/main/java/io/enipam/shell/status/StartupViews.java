package io.enipam.shell.status;

import com.google.protobuf.util.Durations;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.StartupStep;
import java.util.List;
import java.util.stream.Collectors;

/** The daemon's start-up: step by step while it lasts, in one line once it is over. */
final class StartupViews {
    private StartupViews() {}

    static void details(List<StartupStep> steps, Table table) {
        if (steps.isEmpty()) {
            return;
        }
        if (steps.stream().allMatch(step -> step.getState().equals("DONE"))) {
            table.detail("start-up", summary(steps));
            return;
        }
        String label = "start-up";
        for (StartupStep step : steps) {
            table.detail(label, new Table.Cell(line(step), tone(step)));
            label = "";
        }
    }

    /** The whole, and what took a tenth of it or more. */
    private static String summary(List<StartupStep> steps) {
        long total = steps.stream()
                .mapToLong(step -> Durations.toNanos(step.getTook()))
                .sum();
        String parts = steps.stream()
                .filter(step -> Durations.toNanos(step.getTook()) * 10 >= total)
                .map(step -> step.getWords() + " " + TimeFormat.took(step.getTook()))
                .collect(Collectors.joining(", "));
        return "took " + TimeFormat.took(Durations.fromNanos(total)) + (parts.isEmpty() ? "" : ": " + parts);
    }

    private static String line(StartupStep step) {
        String detail = step.getDetail().isEmpty() ? "" : ": " + step.getDetail();
        return switch (step.getState()) {
            case "DONE" -> step.getWords() + ", " + TimeFormat.took(step.getTook()) + detail;
            case "RUNNING" -> step.getWords() + ", for " + TimeFormat.took(step.getTook()) + " now" + detail;
            case "HALTED" -> step.getWords() + ", halted after " + TimeFormat.took(step.getTook()) + detail;
            default -> step.getWords();
        };
    }

    private static Tone tone(StartupStep step) {
        return switch (step.getState()) {
            case "DONE" -> Tone.GOOD;
            case "RUNNING" -> Tone.WAIT;
            case "HALTED" -> Tone.BAD;
            default -> Tone.LABEL;
        };
    }
}

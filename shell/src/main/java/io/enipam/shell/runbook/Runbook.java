package io.enipam.shell.runbook;

import io.enipam.shell.runbook.RunbookHeader.Needs;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A runbook that was read and checked; {@code control} if one of its commands takes the permission to control. */
public record Runbook(
        String file,
        RunbookHeader header,
        List<RunbookStep> steps,
        Map<String, VariableValue> values,
        boolean control) {
    public Runbook {
        steps = List.copyOf(steps);
        values = Map.copyOf(values);
    }

    /** A line of the plan with the values known before the run but secrets; {@code depth} counts the blocks around it. */
    public record Planned(SourcePosition place, int depth, boolean changes, String text) {}

    /** How many steps there are, each counted once however often it runs. */
    public long size() {
        return count(steps, step -> true);
    }

    public long changes() {
        return count(steps, RunbookStep::changes);
    }

    public long questions() {
        return count(steps, RunbookStep.Confirm.class::isInstance);
    }

    public Needs needs() {
        return header.needs().orElse(control ? Needs.CONTROL : Needs.INSPECT);
    }

    private static long count(List<RunbookStep> steps, Predicate<RunbookStep> what) {
        return steps.stream()
                .mapToLong(step -> (what.test(step) ? 1 : 0) + count(step.inner(), what))
                .sum();
    }

    /** All that may run, in the order it is written. */
    public List<Planned> plan() {
        List<Planned> plan = new ArrayList<>();
        plan(steps, 0, new Variables().with(header, values), plan);
        return plan;
    }

    private static void plan(List<RunbookStep> steps, int depth, Variables shown, List<Planned> plan) {
        for (RunbookStep step : steps) {
            plan.add(step.planned(depth, shown));
            if (step instanceof RunbookStep.If branch) {
                plan(branch.then(), depth + 1, shown, plan);
                if (!branch.otherwise().isEmpty()) {
                    plan.add(new Planned(branch.line().start(), depth, false, "else"));
                    plan(branch.otherwise(), depth + 1, shown, plan);
                }
            } else {
                plan(step.inner(), depth + 1, shown, plan);
            }
        }
    }

    /** Where something is written; line and column count from 1. */
    public record SourcePosition(String file, int line, int column) {
        static final Comparator<SourcePosition> ORDER = Comparator.comparing(SourcePosition::file)
                .thenComparing(SourcePosition::line)
                .thenComparing(SourcePosition::column);

        /** The error that something is wrong here; the hint may be empty. */
        RunbookSyntaxException wrong(String why, String hint) {
            return new RunbookSyntaxException(this, why, hint);
        }

        /** {@code FILE:LINE}, which is enough for a step. */
        public String ofLine() {
            return file + ":" + line;
        }

        /** {@code FILE:LINE:COLUMN}. */
        @Override
        public String toString() {
            return ofLine() + ":" + column;
        }
    }
}

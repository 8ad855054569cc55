package io.enipam.shell.runbook;

import io.enipam.shell.runbook.RunbookHeader.Needs;
import io.enipam.shell.runbook.WordTemplate.VariableValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A runbook that was read and checked. */
public final class Runbook {
    private final String file;
    private final RunbookHeader header;
    private final List<RunbookStep> steps;
    private final Map<String, VariableValue> values;
    private final boolean control;

    Runbook(
            String file,
            RunbookHeader header,
            List<RunbookStep> steps,
            Map<String, VariableValue> values,
            boolean control) {
        this.control = control;
        this.file = file;
        this.header = header;
        this.steps = List.copyOf(steps);
        this.values = Map.copyOf(values);
    }

    /**
     * A line of the plan with the values known before the run but for secrets; {@code depth} counts the blocks around
     * it.
     */
    public record Planned(SourcePosition place, int depth, boolean changes, String text) {}

    /** Its name, as it was given. */
    public String file() {
        return file;
    }

    public RunbookHeader header() {
        return header;
    }

    List<RunbookStep> steps() {
        return steps;
    }

    /** What it was given, and the defaults of what it was not. */
    Map<String, VariableValue> values() {
        return values;
    }

    /** How many steps there are, each counted once however often it runs. */
    public long size() {
        return count(steps, step -> true);
    }

    /** How many of them change the daemon. */
    public long changes() {
        return count(steps, RunbookStep::changes);
    }

    /** How many of them ask the operator. */
    public long questions() {
        return count(steps, RunbookStep.Confirm.class::isInstance);
    }

    /** What permission it takes. */
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
        Variables shown = new Variables().with(header, values);
        plan(steps, 0, shown, plan);
        return plan;
    }

    private static void plan(List<RunbookStep> steps, int depth, Variables shown, List<Planned> plan) {
        for (RunbookStep step : steps) {
            plan.add(planned(step, depth, shown));
            if (step instanceof RunbookStep.If branch) {
                plan(branch.then(), depth + 1, shown, plan);
                if (!branch.otherwise().isEmpty()) {
                    plan.add(new Planned(branch.written().place(), depth, false, "else"));
                    plan(branch.otherwise(), depth + 1, shown, plan);
                }
            } else {
                plan(step.inner(), depth + 1, shown, plan);
            }
        }
    }

    private static Planned planned(RunbookStep step, int depth, Variables shown) {
        return new Planned(
                step.written().place(),
                depth,
                step.changes(),
                shown.in(step.written().text()));
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

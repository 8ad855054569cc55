package io.enipam.shell.runbook;

import java.util.List;
import java.util.Map;

/** Several reports of one run. */
public record CompositeReport(List<RunReport> all) implements RunReport {
    @Override
    public void begins(Runbook runbook, Map<String, String> values) {
        all.forEach(report -> report.begins(runbook, values));
    }

    @Override
    public void starts(int depth, String text) {
        all.forEach(report -> report.starts(depth, text));
    }

    @Override
    public void ended(StepRecord step) {
        all.forEach(report -> report.ended(step));
    }

    @Override
    public void ended(RunResult verdict) {
        all.forEach(report -> report.ended(verdict));
    }
}

package io.enipam.frontends.rpc;

import io.enipam.engine.startup.StartupProgress.StepReport;
import io.enipam.v1.StartupStep;
import java.util.List;

/** The steps of the start-up on the wire. */
final class StartupMapper {
    private StartupMapper() {}

    static List<StartupStep> steps(List<StepReport> reports) {
        return reports.stream().map(StartupMapper::step).toList();
    }

    private static StartupStep step(StepReport report) {
        StartupStep.Builder step = StartupStep.newBuilder()
                .setName(report.step().name())
                .setWords(report.step().label())
                .setState(report.state().name())
                .setDetail(report.detail());
        report.since()
                .ifPresent(
                        since -> step.setSince(ProtoTime.timestamp(since)).setTook(ProtoTime.duration(report.took())));
        return step.build();
    }
}

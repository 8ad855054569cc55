package io.enipam.frontends.rpc;

import io.enipam.engine.port.EniSweeper;
import io.enipam.v1.SweepReport;
import io.enipam.v1.SweptEni;

/** A sweep on the wire. */
final class SweepMapper {
    private SweepMapper() {}

    static SweepReport report(EniSweeper.Report report) {
        return SweepReport.newBuilder()
                .setStartedAt(ProtoTime.timestamp(report.startedAt()))
                .setTook(ProtoTime.duration(report.took()))
                .setDryRun(report.dryRun())
                .setExamined(report.examined())
                .addAllCandidates(
                        report.candidates().stream().map(SweepMapper::candidate).toList())
                .build();
    }

    private static SweptEni candidate(EniSweeper.Candidate candidate) {
        SweptEni.Builder wire = SweptEni.newBuilder()
                .setId(candidate.id())
                .setState(candidate.state())
                .setVswitch(candidate.vswitch())
                .addAllAddresses(candidate.addresses())
                .setTaken(candidate.taken())
                .setReason(candidate.reason());
        candidate.createdAt().ifPresent(at -> wire.setCreatedAt(ProtoTime.timestamp(at)));
        candidate.age().ifPresent(age -> wire.setAge(ProtoTime.duration(age)));
        return wire.build();
    }
}

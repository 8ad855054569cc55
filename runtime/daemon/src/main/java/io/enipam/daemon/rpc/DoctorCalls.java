package io.enipam.daemon.rpc;

import io.enipam.daemon.doctor.Doctor;
import io.enipam.daemon.doctor.fact.VersionFacts;
import io.enipam.v1.ListDoctorChecksReply;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** Calls about the doctor. */
final class DoctorCalls {
    private final Doctor doctor;
    private final String version;

    /** @param version the daemon's */
    DoctorCalls(Doctor doctor, String version) {
        this.doctor = doctor;
        this.version = version;
    }

    void run(RunDoctorRequest request, StreamObserver<RunDoctorReply> observer) {
        Answers.later(
                observer,
                () -> doctor.examine(
                        request.getChecksList(), List.of(new VersionFacts(version, request.getClientVersion()))),
                DoctorWire::diagnosis);
    }

    void list(StreamObserver<ListDoctorChecksReply> observer) {
        Answers.now(
                observer,
                () -> ListDoctorChecksReply.newBuilder()
                        .addAllChecks(doctor.catalogue().stream()
                                .map(DoctorWire::check)
                                .toList())
                        .build());
    }

    void repair(RepairFindingRequest request, StreamObserver<RepairFindingReply> observer) {
        Answers.later(observer, () -> doctor.repair(request.getName(), request.getDryRun()), DoctorWire::treatment);
    }
}

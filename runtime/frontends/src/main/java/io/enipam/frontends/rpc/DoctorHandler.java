package io.enipam.frontends.rpc;

import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.ProcessChecks.Versions;
import io.enipam.v1.ListDoctorChecksReply;
import io.enipam.v1.RepairFindingReply;
import io.enipam.v1.RepairFindingRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** Calls about the doctor. */
final class DoctorHandler {
    private final Doctor doctor;
    private final String version;

    /** @param version the daemon's */
    DoctorHandler(Doctor doctor, String version) {
        this.doctor = doctor;
        this.version = version;
    }

    void run(RunDoctorRequest request, StreamObserver<RunDoctorReply> observer) {
        UnaryReplies.async(
                observer,
                () -> doctor.examine(
                        request.getChecksList(), List.of(new Versions(version, request.getClientVersion()))),
                DoctorMapper::diagnosis);
    }

    void list(StreamObserver<ListDoctorChecksReply> observer) {
        UnaryReplies.sync(
                observer,
                () -> ListDoctorChecksReply.newBuilder()
                        .addAllChecks(doctor.catalogue().stream()
                                .map(DoctorMapper::check)
                                .toList())
                        .build());
    }

    void repair(RepairFindingRequest request, StreamObserver<RepairFindingReply> observer) {
        UnaryReplies.async(
                observer, () -> doctor.repair(request.getName(), request.getDryRun()), DoctorMapper::treatment);
    }
}

package io.enipam.shell;

import com.google.protobuf.util.Durations;
import io.enipam.v1.ActOnCloudReply;
import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.AddCloudFaultReply;
import io.enipam.v1.CloudCallCount;
import io.enipam.v1.CloudFault;
import io.enipam.v1.DropCall;
import io.enipam.v1.FailCall;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.ListCloudNamesReply;
import io.enipam.v1.RemoveCloudFaultReply;
import io.enipam.v1.ResetCloudReply;
import io.enipam.v1.StickEni;
import io.enipam.v1.TearAnswer;
import io.enipam.v1.ThrottleApi;
import java.util.List;

/** The emulated cloud of the fake daemon: one fault of each kind. */
final class CannedCloud {
    private CannedCloud() {}

    static GetCloudReply cloud() {
        return GetCloudReply.newBuilder()
                .addAllFaults(faults())
                .setLatency("real")
                .setThrottle("*=500,AssignPrivateIpAddresses=5")
                .addStuckEnis("eni-2")
                .setClockAhead(Durations.fromSeconds(-90))
                .addCalls(CloudCallCount.newBuilder()
                        .setApi("AssignPrivateIpAddresses")
                        .setCalls(41)
                        .setThrottled(3)
                        .setFaulted(9))
                .build();
    }

    static ListCloudNamesReply names() {
        return ListCloudNamesReply.newBuilder()
                .addApis("AssignPrivateIpAddresses")
                .addCodes("Throttling.User")
                .build();
    }

    /** The fault as the daemon completes it. */
    static AddCloudFaultReply added(CloudFault asked) {
        CloudFault.Builder fault = asked.toBuilder().setId(8);
        if (fault.hasFail() && fault.getFail().getHttpStatus() == 0) {
            fault.getFailBuilder().setHttpStatus(400).setMessage("Request was denied due to user flow control.");
        }
        return AddCloudFaultReply.newBuilder().setFault(fault).build();
    }

    static RemoveCloudFaultReply removed(int id) {
        return RemoveCloudFaultReply.newBuilder()
                .addAllRemoved(faults().stream()
                        .filter(fault -> id == 0 || fault.getId() == id)
                        .toList())
                .build();
    }

    static ResetCloudReply reset() {
        return ResetCloudReply.newBuilder()
                .addAllRemoved(faults())
                .addReleasedEnis("eni-2")
                .setLatency("none")
                .setThrottle("off")
                .build();
    }

    static ActOnCloudReply acted(ActOnCloudRequest request) {
        ActOnCloudReply.Builder reply = ActOnCloudReply.newBuilder();
        switch (request.getActionCase()) {
            case DETACH_ENI -> reply.setEni(request.getDetachEni());
            case TAKE_IP -> reply.setIp(request.getTakeIp()).setEni("eni-1");
            case STICK_ENI -> reply.setEni(request.getStickEni()).setWaitingFault(8);
            case RELEASE_ENI -> reply.setEni(request.getReleaseEni());
            case EXPIRE_KEY -> reply.setKey(request.getExpireKey().isEmpty() ? "STS.9f2c" : request.getExpireKey());
            case SKEW_CLOCK -> reply.setClockAhead(request.getSkewClock());
            case ACTION_NOT_SET -> {}
        }
        return reply.build();
    }

    private static List<CloudFault> faults() {
        return List.of(
                CloudFault.newBuilder()
                        .setId(1)
                        .setApi("AssignPrivateIpAddresses")
                        .setPercent(20)
                        .setFail(FailCall.newBuilder()
                                .setCode("Throttling.User")
                                .setHttpStatus(400)
                                .setMessage("Request was denied due to user flow control."))
                        .setSeen(41)
                        .setApplied(9)
                        .build(),
                CloudFault.newBuilder()
                        .setId(2)
                        .setApi("AttachNetworkInterface")
                        .setNth(3)
                        .setDrop(DropCall.newBuilder().setAfterWork(true))
                        .setSeen(1)
                        .build(),
                CloudFault.newBuilder()
                        .setId(3)
                        .setApi("*")
                        .setDelay(Durations.fromSeconds(2))
                        .setSeen(50)
                        .setApplied(50)
                        .build(),
                CloudFault.newBuilder()
                        .setId(4)
                        .setApi("*")
                        .setPercent(0.5)
                        .setTear(TearAnswer.newBuilder().setAt("elsewhere").setHidden(true))
                        .build(),
                CloudFault.newBuilder()
                        .setId(5)
                        .setApi("DetachNetworkInterface")
                        .setEni("eni-1")
                        .setAtMost(1)
                        .setStick(StickEni.newBuilder().setUntilReissued(true))
                        .build(),
                CloudFault.newBuilder()
                        .setId(6)
                        .setApi("CreateNetworkInterface")
                        .setEvery(5)
                        .setAtMost(2)
                        .setThrottle(ThrottleApi.getDefaultInstance())
                        .build(),
                CloudFault.newBuilder()
                        .setId(7)
                        .setApi("metadata/ram/")
                        .setDrop(DropCall.getDefaultInstance())
                        .build());
    }
}

package io.enipam.shell;

import com.google.protobuf.util.Durations;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudMeter;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetLeaseHistoryReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.LeaseEnd;
import io.enipam.v1.LeaseHistoryState;
import io.enipam.v1.LeaseRecord;
import io.enipam.v1.Owner;
import io.enipam.v1.PoolCounts;

/** What the fake daemon says of the last intervals. */
final class CannedHistory {
    private CannedHistory() {}

    static GetLeaseHistoryReply leases() {
        return GetLeaseHistoryReply.newBuilder()
                .addLeases(lease("default/web-0", 1, 60))
                .addLeases(lease("default/web-7", 2, 7200)
                        .setEnd(LeaseEnd.newBuilder()
                                .setReason("GC")
                                .setBy("gc")
                                .setDetail("the pod is gone")
                                .setAt(CannedReplies.ago(90))))
                .setHistory(LeaseHistoryState.newBuilder()
                        .setLeases(1234)
                        .setBytes(80_000)
                        .setOldest(CannedReplies.ago(7200)))
                .build();
    }

    private static LeaseRecord.Builder lease(String pod, int number, int age) {
        return LeaseRecord.newBuilder()
                .setPod(pod)
                .setPodUid("uid-" + number)
                .setOwner(Owner.newBuilder()
                        .setNetwork("enipam")
                        .setContainer("sim-" + number)
                        .setIfname("eth0"))
                .addAddresses("10.0.1.3")
                .setResource("eni-1/10.0.1.3")
                .setEni("eni-1")
                .setSince(CannedReplies.ago(age));
    }

    static GetHistoryReply samples() {
        return GetHistoryReply.newBuilder()
                .addSamples(sample(1).setAdd(CallMeter.getDefaultInstance()))
                .addSamples(sample(2).setWaiting(1))
                .build();
    }

    private static HistorySample.Builder sample(int sequence) {
        return HistorySample.newBuilder()
                .setSequence(sequence)
                .setAt(CannedReplies.ago(10 - 5L * sequence))
                .setAge(Durations.fromSeconds(10 - 5L * sequence))
                .setInterval(Durations.fromSeconds(5))
                .setCounts(PoolCounts.newBuilder().setIdle(3).setInUse(14))
                .setCapacity(45)
                .setMinIdle(2)
                .setMaxIdle(5)
                .setAdd(CallMeter.newBuilder()
                        .setDone(4)
                        .setFailed(1)
                        .setP50(Durations.fromMillis(12))
                        .setP99(Durations.fromMillis(340)))
                .setCloud(CloudMeter.newBuilder().setCalls(7).setThrottled(2));
    }
}

package io.enipam.shell;

import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.enipam.v1.AuditEntry;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudMeter;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetLeaseHistoryReply;
import io.enipam.v1.GetLeaseHistoryRequest;
import io.enipam.v1.HistorySample;
import io.enipam.v1.LeaseEnd;
import io.enipam.v1.LeaseHistoryState;
import io.enipam.v1.LeaseRecord;
import io.enipam.v1.ListAuditReply;
import io.enipam.v1.Owner;
import io.enipam.v1.PoolCounts;
import java.util.stream.Stream;

/** What the fake daemon says of the last intervals. */
final class CannedHistory {
    private CannedHistory() {}

    static GetLeaseHistoryReply leases(GetLeaseHistoryRequest request) {
        return GetLeaseHistoryReply.newBuilder()
                .addAllLeases(Stream.of(
                                lease("default/web-0", 1, 60),
                                lease("default/web-7", 2, 7200)
                                        .setEnd(LeaseEnd.newBuilder()
                                                .setReason("GC")
                                                .setBy("gc")
                                                .setDetail("the pod is gone")
                                                .setAt(CannedReplies.ago(90))))
                        .map(LeaseRecord.Builder::build)
                        .filter(lease -> stood(lease, request))
                        .toList())
                .setHistory(LeaseHistoryState.newBuilder()
                        .setLeases(1234)
                        .setBytes(80_000)
                        .setOldest(CannedReplies.ago(7200))
                        .setCompleteSince(CannedReplies.ago(3 * 3600)))
                .build();
    }

    private static boolean stood(LeaseRecord lease, GetLeaseHistoryRequest request) {
        boolean begun = !request.hasTo() || Timestamps.compare(lease.getSince(), request.getTo()) <= 0;
        boolean over = request.hasFrom()
                && lease.hasEnd()
                && Timestamps.compare(lease.getEnd().getAt(), request.getFrom()) < 0;
        return begun && !over;
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

    static ListAuditReply audit() {
        return ListAuditReply.newBuilder()
                .addEntries(AuditEntry.newBuilder()
                        .setAt(CannedReplies.ago(300))
                        .setUser("root")
                        .setPid(4711)
                        .setCaller("ada@desk")
                        .setCommand("WarmPool")
                        .setName("20")
                        .setDryRun(true)
                        .setOutcome("OK")
                        .setCount(1))
                .addEntries(AuditEntry.newBuilder()
                        .setAt(CannedReplies.ago(60))
                        .setUid(1001)
                        .setPid(815)
                        .setCommand("CniDel")
                        .setPod("default/web-0")
                        .setContainer("sim-1")
                        .setOutcome("POOL_EXHAUSTED")
                        .setCount(1))
                .build();
    }

    static GetHistoryReply samples() {
        return GetHistoryReply.newBuilder()
                .addSamples(sample(1).setAdd(CallMeter.getDefaultInstance()))
                .addSamples(sample(2).setWaiting(1).setRestarted("crash"))
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

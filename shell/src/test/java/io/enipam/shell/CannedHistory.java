package io.enipam.shell;

import com.google.protobuf.util.Durations;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudMeter;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.PoolCounts;

/** What the fake daemon says of the last intervals. */
final class CannedHistory {
    private CannedHistory() {}

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

package io.enipam.shell;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import io.enipam.v1.ApiMeter;
import io.enipam.v1.CallMeter;
import io.enipam.v1.CloudMeter;
import io.enipam.v1.CodeCount;
import io.enipam.v1.GcMeter;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.ProcessGauge;
import java.util.List;
import java.util.stream.IntStream;

/** Ten minutes of a daemon's life, the same each time: more and more pods, and a burst that found the pool empty. */
public final class CannedSamples {
    /** Samples in it, five seconds apart. */
    public static final int SAMPLES = 120;

    private CannedSamples() {}

    public static List<HistorySample> samples() {
        return IntStream.rangeClosed(1, SAMPLES).mapToObj(CannedSamples::sample).toList();
    }

    private static HistorySample sample(int n) {
        long age = (SAMPLES - n) * 5L + 2;
        boolean burst = n > 80 && n <= 84;
        int inUse = Math.min(10, n / 12) + (burst ? 3 : 0);
        HistorySample.Builder sample = HistorySample.newBuilder()
                .setSequence(n)
                .setAt(CannedReplies.ago(age))
                .setAge(Durations.fromSeconds(age))
                .setInterval(Durations.fromSeconds(5))
                .setCounts(PoolCounts.newBuilder()
                        .setInUse(inUse)
                        .setIdle(burst ? 0 : 3)
                        .setCooling(n % 3)
                        .build())
                .setCapacity(14)
                .setMinIdle(2)
                .setMaxIdle(5)
                .setWaiting(burst ? 2 : 0)
                .setAdd(calls(n % 4, burst ? 2 : 0, 12 + n % 7, burst ? 2_100 : 31))
                .setDel(calls(n % 3 == 0 ? 1 : 0, 0, 4, 9))
                .setCommits(calls(n % 4 + n % 2, 0, 3, 8))
                .setGc(GcMeter.newBuilder().setRuns(n % 60 == 0 ? 1 : 0).setCollected(n == 60 ? 2 : 0))
                .setProcess(process(n));
        CloudMeter.Builder cloud =
                CloudMeter.newBuilder().setCalls(burst ? 6 : n % 2).setThrottled(burst ? 1 : 0);
        cloud.setFailed(cloud.getThrottled());
        if (cloud.getCalls() > 0) {
            cloud.setP50(Durations.fromMillis(46)).setP99(Durations.fromMillis(400));
            cloud.addApis(ApiMeter.newBuilder()
                    .setApi("AssignPrivateIpAddresses")
                    .setCalls(cloud.getCalls())
                    .setFailed(cloud.getFailed())
                    .setThrottled(cloud.getThrottled())
                    .setUsed((int) cloud.getCalls())
                    .setAllowed(burst ? 200 : 400)
                    .setLimit(400));
        }
        return sample.setCloud(cloud).build();
    }

    private static CallMeter calls(long done, long failed, long p50, long p99) {
        CallMeter.Builder calls = CallMeter.newBuilder().setDone(done).setFailed(failed);
        if (failed > 0) {
            calls.addFailures(CodeCount.newBuilder().setCode("POOL_EXHAUSTED").setCount(failed));
        }
        if (done + failed > 0) {
            Duration longest = Durations.fromMillis(p99);
            calls.setP50(Durations.fromMillis(p50)).setP99(longest).setMax(longest);
        }
        return calls.build();
    }

    private static ProcessGauge process(int n) {
        return ProcessGauge.newBuilder()
                .setRss((180L << 20) + ((long) n << 16))
                .setHeapUsed(60L << 20)
                .setHeapMax(256L << 20)
                .setThreads(40)
                .setFds(51)
                .setCpu(Durations.fromMillis(75))
                .build();
    }

    public static GetMetersReply meters() {
        return GetMetersReply.newBuilder()
                .setUptime(Durations.fromSeconds(3_600))
                .setAdd(calls(180, 8, 13, 2_100))
                .setDel(calls(40, 0, 4, 9))
                .setCommits(calls(240, 0, 3, 8))
                .setGc(GcMeter.newBuilder().setRuns(12).setCollected(2))
                .setProcess(process(SAMPLES))
                .setSamples(SAMPLES)
                .setInterval(Durations.fromSeconds(5))
                .build();
    }
}

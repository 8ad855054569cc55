package io.enipam.observability.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiQuotaStatus;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.ResourceDb.DbBusyException;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Everything that is measured, in one place. Thread-safe; what counts takes no lock, what reads takes this one's.
 *
 * <p>Intervals follow one another without a gap: each counted thing is in one interval, also if the date jumps, for they go
 * by the clock that does not.
 */
public final class Meters {
    private final TimeSource time;
    private final ApiCallLog cloud;
    private final CallMeter add;
    private final CallMeter del;
    private final CallMeter commits;
    private final TimingRecorder forces = new TimingRecorder();
    private final CniAnswers cni = new CniAnswers();
    private final FailedAdds failedAdds;
    private final long startedNanos;

    @GuardedBy("this")
    private long lastNanos;

    @GuardedBy("this")
    private List<ApiQuotaStatus> lastCloud = List.of();

    @GuardedBy("this")
    private Duration lastCpu;

    @GuardedBy("this")
    private Optional<GcReport> lastGc = Optional.empty();

    @GuardedBy("this")
    private GcCount collections = GcCount.NONE;

    @GuardedBy("this")
    private ReconcileCount reconciles = ReconcileCount.NONE;

    @GuardedBy("this")
    private long samples;

    public Meters(TimeSource time, ApiCallLog cloud) {
        this.time = time;
        this.cloud = cloud;
        this.add = new CallMeter(time, Meters::engineCode);
        this.failedAdds = new FailedAdds(time);
        this.del = new CallMeter(time, Meters::engineCode);
        this.commits = new CallMeter(time, failure -> failure instanceof DbBusyException ? "BUSY" : "NOT_WRITTEN");
        this.startedNanos = time.nanoTime();
        this.lastNanos = startedNanos;
        // what the start of the JVM took belongs to no interval
        this.lastCpu = ProcessGauge.read().cpu();
    }

    private static String engineCode(Throwable failure) {
        return (failure instanceof IpamException refusal ? refusal.code() : ErrorCode.INTERNAL).name();
    }

    CallMeter add() {
        return add;
    }

    CallMeter del() {
        return del;
    }

    CallMeter commits() {
        return commits;
    }

    /** Where the calls of container runtimes are counted. */
    public CniAnswers cni() {
        return cni;
    }

    /** The ADDs that failed since the last one that worked. */
    public FailedAdds failedAdds() {
        return failedAdds;
    }

    /** Where the database counts what it forces to the disk. */
    public TimingRecorder forces() {
        return forces;
    }

    /** How long ADDs took since the start. */
    public CallTiming timingOfAdd() {
        return add.timing();
    }

    /** How long DELs took since the start. */
    public CallTiming timingOfDel() {
        return del.timing();
    }

    /** How long commits of the database took since the start. */
    public CallTiming timingOfCommits() {
        return commits.timing();
    }

    /** The comparisons of the pool with the cloud since the start, as far as the samples have seen them. */
    public synchronized ReconcileCount reconciles() {
        return reconciles;
    }

    /** Ends the interval. */
    synchronized Sample sample(PoolGauge pool, EngineStatus status, ProcessGauge process) {
        long now = time.nanoTime();
        List<ApiQuotaStatus> nowCloud = cloud.quotaStatus();
        GcCount gc = collected(status.lastGc());
        reconciles = reconciles.with(status.lastReconcile());
        samples++;
        Sample sample = new Sample(
                samples,
                time.now(),
                now,
                Duration.ofNanos(now - lastNanos),
                pool,
                add.interval(),
                del.interval(),
                CloudCount.between(lastCloud, nowCloud),
                commits.interval(),
                gc,
                process.withCpu(process.cpu().minus(lastCpu)));
        lastNanos = now;
        lastCloud = nowCloud;
        lastCpu = process.cpu();
        return sample;
    }

    @GuardedBy("this")
    private GcCount collected(Optional<GcReport> latest) {
        boolean news = !latest.map(GcReport::startedAt).equals(lastGc.map(GcReport::startedAt));
        lastGc = latest;
        GcCount seen = latest.filter(report -> news)
                .map(report -> new GcCount(1, report.collected().size()))
                .orElse(GcCount.NONE);
        collections = collections.plus(seen);
        return seen;
    }

    /** Everything since the start. */
    public synchronized Totals totals() {
        return new Totals(
                Duration.ofNanos(time.nanoTime() - startedNanos),
                add.total(),
                del.total(),
                CloudCount.between(List.of(), cloud.quotaStatus()),
                commits.total(),
                collections,
                ProcessGauge.read());
    }

    /**
     * What was counted since the start, and how things stand.
     *
     * @param uptime how long that is
     * @param process its {@code cpu} is since the start
     */
    public record Totals(
            Duration uptime,
            CallCount add,
            CallCount del,
            CloudCount cloud,
            CallCount commits,
            GcCount gc,
            ProcessGauge process) {}
}

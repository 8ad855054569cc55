package io.enipam.observability.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.LatencyHistogram;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.lease.GarbageCollector.GcReport;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport;
import io.enipam.engine.pool.PoolReconciler.ReconcileReport.Kind;
import io.enipam.engine.pool.PoolSummary;
import io.enipam.engine.port.ResourceDb.DbBusyException;
import io.enipam.engine.port.TimeSource;
import io.enipam.observability.history.Sample.CloudCount;
import io.enipam.observability.history.Sample.Counts;
import io.enipam.observability.history.Sample.GcCount;
import io.enipam.observability.history.Sample.ProcessGauge;
import io.enipam.sdk.PodRef;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * All measurements in one place. Thread-safe; counting takes no lock, reading takes the lock of this object.
 *
 * <p>Intervals follow one another without a gap by the monotonic clock, so each counted call is in one interval even if
 * the date jumps.
 */
public final class Meters {
    private static final double[] MILLIS = {
        0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1e3, 2.5e3, 5e3, 10e3, 30e3, 60e3
    };

    /** Upper bounds of the buckets of every histogram here. */
    static final List<Duration> BOUNDS = DoubleStream.of(MILLIS)
            .mapToObj(millis -> Duration.ofNanos(Math.round(millis * 1e6)))
            .toList();

    private final TimeSource time;
    private final ApiCallLog cloud;
    private final CallMeter add;
    private final CallMeter del;
    private final CallMeter commits;
    private final LatencyHistogram forces = new LatencyHistogram(BOUNDS);
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
        // the JVM's own start belongs to no interval
        this.lastCpu = ProcessGauge.read().cpu();
    }

    /** The calls of the cloud, each retry on its own. */
    public ApiCallLog cloud() {
        return cloud;
    }

    private static String engineCode(Throwable failure) {
        return (failure instanceof IpamException refusal ? refusal.code() : ErrorCode.INTERNAL).name();
    }

    /** An engine whose ADDs and DELs are counted here, for every caller in the daemon. All other calls pass through. */
    public IpamEngine counting(IpamEngine engine) {
        InvocationHandler counted = (proxy, method, arguments) -> switch (method.getName()) {
            case "add" -> add.measured(() -> added(engine, (AddCommand) arguments[0]));
            case "del" ->
                del.measured(() -> arguments.length == 1
                        ? engine.del((OwnerKey) arguments[0])
                        : engine.del((OwnerKey) arguments[0], (String) arguments[1]));
            default -> passed(engine, method, arguments);
        };
        return (IpamEngine)
                Proxy.newProxyInstance(IpamEngine.class.getClassLoader(), new Class<?>[] {IpamEngine.class}, counted);
    }

    private CompletableFuture<AddOutcome> added(IpamEngine engine, AddCommand command) {
        return engine.add(command)
                .whenComplete((outcome, failure) -> failedAdds.ended(command, Optional.ofNullable(failure)));
    }

    private static Object passed(IpamEngine engine, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(engine, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    public CallMeter add() {
        return add;
    }

    public CallMeter del() {
        return del;
    }

    public CallMeter commits() {
        return commits;
    }

    /** Counts the calls of container runtimes. */
    public CniAnswers cni() {
        return cni;
    }

    /** The ADDs that failed since the last success. */
    public FailedAdds failedAdds() {
        return failedAdds;
    }

    /** Counts the database's forces of files. */
    public LatencyHistogram forces() {
        return forces;
    }

    /** The pool reconciles since the start, as far as the samples have seen them. */
    public synchronized ReconcileCount reconciles() {
        return reconciles;
    }

    /** The samples of a former run had numbers up to this one. */
    synchronized void goOn(long lastSample) {
        samples = lastSample;
    }

    /** Ends the interval and returns its sample. */
    synchronized Sample sample(PoolSummary pool, EngineStatus status, ProcessGauge process) {
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
                new Counts(
                        add.interval(),
                        del.interval(),
                        CloudCount.between(lastCloud, nowCloud),
                        commits.interval(),
                        gc),
                process.withCpu(process.cpu().minus(lastCpu)),
                "");
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
                new Counts(
                        add.total(),
                        del.total(),
                        CloudCount.between(List.of(), cloud.quotaStatus()),
                        commits.total(),
                        collections),
                ProcessGauge.read());
    }

    /**
     * The counts since the start, and the present state.
     *
     * @param process its {@code cpu} is since the start
     */
    public record Totals(Duration uptime, Counts counts, ProcessGauge process) {}

    /** The answered calls on the CNI socket, by command and by the code of the answer. Thread-safe. */
    public static final class CniAnswers {
        private final Map<Kind, LongAdder> counts = new ConcurrentHashMap<>();

        /**
         * @param command a command of the specification, or {@code OTHER}
         * @param code of the error result; 0 for success
         */
        public record Kind(String command, int code) {}

        public void add(String command, int code) {
            counts.computeIfAbsent(new Kind(command, code), kind -> new LongAdder())
                    .increment();
        }

        public Map<Kind, Long> counts() {
            Map<Kind, Long> now =
                    new TreeMap<>(Comparator.comparing(Kind::command).thenComparing(Kind::code));
            counts.forEach((kind, count) -> now.put(kind, count.sum()));
            return now;
        }
    }

    /**
     * Pool reconciles, as far as polling the last one shows.
     *
     * @param findings their findings, by kind; a kind without findings is 0
     */
    public record ReconcileCount(long runs, Map<Kind, Long> findings, Optional<ReconcileReport> last) {
        static final ReconcileCount NONE = new ReconcileCount(0, Map.of(), Optional.empty());

        public ReconcileCount {
            Map<Kind, Long> all = new EnumMap<>(Kind.class);
            for (Kind kind : Kind.values()) {
                all.put(kind, findings.getOrDefault(kind, 0L));
            }
            findings = all;
        }

        /** Adds the last reconcile, unless it is already counted. */
        ReconcileCount with(Optional<ReconcileReport> latest) {
            if (latest.isEmpty()
                    || latest.map(ReconcileReport::startedAt).equals(last.map(ReconcileReport::startedAt))) {
                return this;
            }
            Map<Kind, Long> more = new EnumMap<>(Kind.class);
            findings.forEach(
                    (kind, count) -> more.put(kind, count + latest.get().count(kind)));
            return new ReconcileCount(runs + 1, more, latest);
        }
    }

    /**
     * The ADDs that failed since the last success, and whether they show that pods do not start on this node. Thread-safe;
     * {@code this} guards the list.
     *
     * <p>The criterion is several failures, of several pods, over a minute: one pod with a wrong manifest does not concern
     * the node, and a cloud outage of seconds is no reason for a runtime to stop ADDs. The result lapses two minutes after
     * the last failure, since a runtime that heeds STATUS sends no ADD whose success could clear it.
     */
    public static final class FailedAdds {
        /** The least number of failures that are reported. */
        static final int FIRST = 3;

        /** The least number of failures that last. */
        static final int ENOUGH = 5;

        /** The least number of pods. */
        static final int PODS = 2;

        /** The least time for which they have failed. */
        static final Duration LONG = Duration.ofMinutes(1);

        /** The greatest age of the last failure. */
        static final Duration RECENT = Duration.ofMinutes(2);

        /** The greatest age of the last failure of those that do not last yet. */
        private static final Duration ON_GOING = Duration.ofSeconds(30);

        private static final int KEPT = 100;

        /** Errors of the call and not of the node. */
        private static final Set<ErrorCode> OF_CALLS = EnumSet.of(
                ErrorCode.INVALID_ARGUMENT,
                ErrorCode.NOT_FOUND,
                ErrorCode.POD_GONE,
                ErrorCode.NOT_AGREED,
                ErrorCode.REFUSED,
                ErrorCode.PERMISSION_DENIED);

        private final TimeSource time;

        @GuardedBy("this")
        private final Deque<Failure> failures = new ArrayDeque<>();

        private record Failure(long nanos, Connector connector, PodRef pod, ErrorCode code, String message) {}

        FailedAdds(TimeSource time) {
            this.time = time;
        }

        /** Records the end of an ADD; a simulated ADD proves nothing about real ones. */
        synchronized void ended(AddCommand command, Optional<Throwable> failure) {
            Connector connector = command.link().connector();
            if (failure.isEmpty()) {
                failures.removeIf(known -> known.connector() == connector);
                return;
            }
            Throwable cause = Stages.cause(failure.get());
            ErrorCode code = cause instanceof IpamException refusal ? refusal.code() : ErrorCode.INTERNAL;
            if (OF_CALLS.contains(code)) {
                return;
            }
            forget();
            if (failures.size() == KEPT) {
                // the first one gives the start
                Failure first = failures.removeFirst();
                failures.removeFirst();
                failures.addFirst(first);
            }
            failures.addLast(
                    new Failure(time.nanoTime(), connector, command.pod(), code, String.valueOf(cause.getMessage())));
        }

        /** Discards the failures so far: they had another cause, which is reported and ends by itself. */
        public synchronized void explained() {
            failures.clear();
        }

        /** Old failures without a recent one do not form a series. */
        @GuardedBy("this")
        private void forget() {
            if (!failures.isEmpty() && time.nanoTime() - failures.getLast().nanos() >= RECENT.toNanos()) {
                failures.clear();
            }
        }

        /**
         * ADDs that failed in a row.
         *
         * @param since when the first of them failed
         * @param lasting whether they say that the node cannot serve: there are enough, for long enough
         * @param text how often and why, one line
         */
        public record Series(Instant since, boolean lasting, String text) {}

        /**
         * The failures of more than one pod without an ADD that worked; empty if there are not at least {@value #FIRST}. Those that do
         * not last yet are reported while they go on, and not for want of an address: the pool says itself what it lacks.
         */
        public synchronized Optional<Series> series() {
            forget();
            long now = time.nanoTime();
            if (failures.size() < FIRST
                    || failures.stream().map(Failure::pod).distinct().count() < PODS) {
                return Optional.empty();
            }
            Duration span = Duration.ofNanos(now - failures.getFirst().nanos());
            Map<ErrorCode, Long> counts = failures.stream()
                    .map(Failure::code)
                    .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
            ErrorCode most = counts.entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .orElseThrow()
                    .getKey();
            String example = failures.stream()
                    .filter(failure -> failure.code() == most)
                    .reduce((first, second) -> second)
                    .map(Failure::message)
                    .orElseThrow();
            boolean lasting = failures.size() >= ENOUGH && span.compareTo(LONG) >= 0;
            boolean news =
                    most != ErrorCode.POOL_EXHAUSTED && now - failures.getLast().nanos() < ON_GOING.toNanos();
            if (!lasting && !news) {
                return Optional.empty();
            }
            return Optional.of(new Series(
                    time.now().minus(span),
                    lasting,
                    "every ADD of the last " + span.toSeconds() + " s failed, " + failures.size()
                            + " in a row, most with " + most + ": " + example));
        }
    }
}

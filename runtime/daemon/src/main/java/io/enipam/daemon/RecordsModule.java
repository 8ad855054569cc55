package io.enipam.daemon;

import io.enipam.config.Schema;
import io.enipam.diagnostics.doctor.StartLog.LastRun;
import io.enipam.engine.model.Event;
import io.enipam.frontends.rpc.ServiceContext.Past;
import io.enipam.observability.history.History;
import io.enipam.observability.history.Sample;
import io.enipam.store.Disk;
import io.enipam.store.history.HistoryLimits;
import io.enipam.store.history.RecordFormat;
import io.enipam.store.history.RecordLog;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events, the traces and the samples of the pool in files that outlive the daemon. They are read on a thread of their own while the
 * rest of the daemon starts. The last event of a run is {@value #STOPPED}, where the disk took it; how the run ended the log of starts says.
 */
final class RecordsModule {
    static final String STARTED = "DaemonStarted";
    static final String STOPPED = "DaemonStopped";

    private static final Logger LOG = LoggerFactory.getLogger(RecordsModule.class);
    private static final int EVENTS = 4096;
    /** A trace is some kilobytes in memory. */
    private static final int TRACES = 512;

    private final BaseModule base;
    private final ScheduledExecutorService thread;
    private final CompletableFuture<Opened> opening;
    /** When the run before this one stopped in order; empty if it was killed, crashed, or there was none. */
    private final Optional<Instant> stopped;

    private String ended = "";

    /** What is there, and what the rings go on with. */
    private record Opened(Past past, List<Event> events, List<Sample> samples) {}

    RecordsModule(BaseModule base) {
        this.base = base;
        thread = BaseModule.threads(1, "records");
        base.opened.push("thread of the records", thread::shutdownNow);
        stopped = base.starts.lastRun().flatMap(LastRun::stopped);
        CompletableFuture<Past> past = CompletableFuture.supplyAsync(this::open, thread);
        opening = past.thenApplyAsync(
                there -> new Opened(
                        there, there.events().latest(EVENTS), there.samples().latest(History.SIZE)),
                thread);
        // not of the former run's events and samples, which would stay in memory
        base.opened.push("records", () -> BaseModule.whenOpened(past, there -> close(base, there)));
    }

    private Past open() {
        return new Past(
                open(Past.EVENTS, EVENTS, 4), open(Past.TRACES, TRACES, 2), open(Past.SAMPLES, History.SIZE, 4));
    }

    /**
     * The directory of records, made if need be. One that cannot be made is the trouble of what writes there, which tells it.
     *
     * @param name of the records below that of the leases; empty for the leases themselves
     */
    static Path directory(BaseModule base, String name) {
        Path leases = base.layout.leaseHistory();
        Path directory = leases.resolve(name);
        try {
            DaemonLayout.makeOwn(leases);
            DaemonLayout.makeOwn(directory);
        } catch (StartupException e) {
            LOG.warn("nothing is kept in {}: {}", directory, e.getMessage());
        }
        return directory;
    }

    private <T> RecordLog<T> open(RecordFormat<T> format, int full, int share) {
        HistoryLimits limits = new HistoryLimits(
                base.config.get(Schema.HISTORY_KEEP),
                ((long) base.config.get(Schema.HISTORY_EVENTS_SIZE) << 20) / share);
        return RecordLog.open(
                directory(base, format.name()), format, full, () -> limits, Clock.systemUTC(), Disk.local(), thread);
    }

    /** Lets the ring of events and that of the traces go on where the former run ended; before anybody reads them. */
    Past goOn() {
        Opened opened = BaseModule.join(opening);
        Past past = opened.past();
        List<Event> former = opened.events();
        Event started = started(former);
        // where the end is not in the files, it is not known which numbers were read and not kept
        boolean whole = former.isEmpty() || former.get(former.size() - 1).type().equals(STOPPED);
        long skipped = whole ? 0 : RecordLog.QUEUE;
        base.events.goOn(
                Long.toHexString(past.events().identity()),
                former,
                skipped,
                started,
                event -> past.events().add(() -> event));
        base.traces.keepIn(trace -> past.traces().add(trace::story));
        return past;
    }

    private Event started(List<Event> former) {
        Instant now = base.time.now();
        String version = "enipamd " + Daemon.version() + " started";
        if (former.isEmpty()) {
            return new Event(0, now, Event.Severity.INFO, STARTED, "daemon", version, Map.of());
        }
        Event last = former.get(former.size() - 1);
        ended = stopped.isPresent() ? "stop" : "crash";
        return new Event(
                0,
                now,
                stopped.isPresent() ? Event.Severity.INFO : Event.Severity.WARNING,
                STARTED,
                "daemon",
                stopped.isPresent()
                        ? "daemon restarted (stop): " + version + "; the run before ended at " + stopped.get()
                        : "daemon restarted (crash): " + version
                                + "; the last event that was kept of the run before is of " + last.at()
                                + ", and up to a second of it may be missing",
                Map.of("ended", ended, "last", last.at().toString()));
    }

    /** The same for the samples of the pool. */
    void goOn(History history) {
        Opened opened = BaseModule.join(opening);
        RecordLog<Sample> samples = opened.past().samples();
        history.goOn(opened.samples(), ended, base.time, sample -> samples.add(() -> sample));
    }

    private static void close(BaseModule base, Past past) {
        base.events.info(STOPPED, "daemon", "enipamd stopped");
        past.events().close();
        past.traces().close();
        past.samples().close();
    }
}

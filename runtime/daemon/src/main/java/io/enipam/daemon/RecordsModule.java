package io.enipam.daemon;

import io.enipam.config.Schema;
import io.enipam.diagnostics.trace.TraceQuery;
import io.enipam.engine.model.Event;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.frontends.rpc.ServiceContext.Past;
import io.enipam.observability.history.History;
import io.enipam.observability.history.Sample;
import io.enipam.store.Disk;
import io.enipam.store.history.HistoryLimits;
import io.enipam.store.history.RecordFormat;
import io.enipam.store.history.RecordLog;
import io.enipam.store.history.ReflectedFormat;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events, the traces and the samples of the pool in files that outlive the daemon. They are read on a thread of their own while the
 * rest of the daemon starts. The last event of a run is {@value #STOPPED}: a run without it crashed.
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
    private String ended = "";

    /** What is there, and what the rings go on with. */
    private record Opened(Past past, List<Event> events, List<Sample> samples) {}

    RecordsModule(BaseModule base) {
        this.base = base;
        thread = BaseModule.threads(1, "records");
        base.opened.push("thread of the records", thread::shutdownNow);
        opening = CompletableFuture.supplyAsync(
                () -> {
                    Past past = open();
                    return new Opened(
                            past, past.events().latest(EVENTS), past.samples().latest(History.SIZE));
                },
                thread);
        base.opened.push("records", () -> BaseModule.whenOpened(opening, opened -> close(opened.past())));
    }

    private Past open() {
        return new Past(
                open(new ReflectedFormat<>(Event.class, "events", TraceQuery::keys, Event::at, Event::at), EVENTS, 4),
                open(
                        new ReflectedFormat<>(
                                TraceSnapshot.class,
                                "traces",
                                TraceQuery::keys,
                                TraceSnapshot::at,
                                trace -> trace.at().plus(trace.took().orElse(Duration.ZERO))),
                        TRACES,
                        2),
                open(
                        new ReflectedFormat<>(
                                Sample.class, "samples", sample -> Stream.empty(), Sample::at, Sample::at),
                        History.SIZE,
                        4));
    }

    /** A directory that cannot be made is the log's trouble, which it tells. */
    private <T> RecordLog<T> open(RecordFormat<T> format, int full, int share) {
        Path directory = base.layout.leaseHistory().resolve(format.name());
        try {
            DaemonLayout.makeOwn(directory.getParent());
            DaemonLayout.makeOwn(directory);
        } catch (StartupException e) {
            LOG.warn("there is no history of {}: {}", format.name(), e.getMessage());
        }
        HistoryLimits limits = new HistoryLimits(
                base.config.get(Schema.HISTORY_KEEP),
                ((long) base.config.get(Schema.HISTORY_EVENTS_SIZE) << 20) / share);
        return RecordLog.open(directory, format, full, () -> limits, Clock.systemUTC(), Disk.local(), thread);
    }

    /** Lets the ring of events and that of the traces go on where the former run ended; before anybody reads them. */
    Past goOn() {
        Opened opened = BaseModule.join(opening);
        Past past = opened.past();
        Event started = started(opened.events());
        // of a crash it is not known which numbers were read and not kept
        long skipped = ended.equals("crash") ? RecordLog.QUEUE : 0;
        base.events.goOn(
                Long.toHexString(past.events().identity()),
                opened.events(),
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
        boolean stopped = last.type().equals(STOPPED);
        ended = stopped ? "stop" : "crash";
        return new Event(
                0,
                now,
                stopped ? Event.Severity.INFO : Event.Severity.WARNING,
                STARTED,
                "daemon",
                stopped
                        ? "daemon restarted (stop): " + version + "; the run before ended at " + last.at()
                        : "daemon restarted (crash): " + version
                                + "; the last event that was kept of the run before is of " + last.at()
                                + ", and up to a second of it may be missing",
                Map.of("ended", ended, "last", last.at().toString()));
    }

    /** The same for the samples of the pool. */
    void goOn(History history) {
        Opened opened = BaseModule.join(opening);
        history.goOn(
                opened.samples(),
                ended,
                base.time,
                sample -> opened.past().samples().add(() -> sample));
    }

    private void close(Past past) {
        base.events.info(STOPPED, "daemon", "enipamd stopped");
        past.events().close();
        past.traces().close();
        past.samples().close();
    }
}

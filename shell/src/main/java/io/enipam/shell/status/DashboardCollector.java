package io.enipam.shell.status;

import com.google.protobuf.util.Timestamps;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.status.Dashboard.Snapshot;
import io.enipam.v1.Event;
import io.enipam.v1.GetCloudBudgetReply;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.HistorySample;
import io.enipam.v1.TopFrame;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Looks at a daemon again and again, and outlives its restarts. Used by one thread at a time.
 *
 * <p>A daemon that was started anew is known by its process id, or, as that may be the same in a container, by the
 * run that its events are of: its numbers begin again, so nothing of the old one is carried over.
 */
public final class DashboardCollector {
    public static final Duration SPAN = Duration.ofMinutes(10);

    private static final Duration LOOK = Duration.ofSeconds(10);
    private static final int EVENTS = 50;

    private final Supplier<DaemonConnection> daemon;
    private final Supplier<String> load;
    private final InstantSource clock;
    private final Deque<Event> events = new ArrayDeque<>();
    private long pid;
    private String run = "";
    private Optional<Snapshot> last = Optional.empty();
    private long framedSample;
    private long framedEvent;

    public DashboardCollector(Supplier<DaemonConnection> daemon, Supplier<String> load, InstantSource clock) {
        this.daemon = daemon;
        this.load = load;
        this.clock = clock;
    }

    /** Looks now, or repeats the last answer, with the daemon away; throws if there was none, or on an interrupt. */
    public Snapshot poll() {
        Snapshot now;
        try {
            now = seen();
        } catch (ShellException e) {
            if (e.exit() == ExitStatus.INTERRUPTED || last.isEmpty()) {
                throw e;
            }
            Instant at = clock.instant();
            Instant since = last.get().away().map(Snapshot.Away::since).orElse(at);
            now = last.get().away(at, new Snapshot.Away(String.valueOf(e.getMessage()), since), load.get());
        }
        last = Optional.of(now);
        return now;
    }

    private Snapshot seen() {
        DaemonConnection attached = daemon.get();
        GetStatusReply status = attached.inspect(LOOK, stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
        if (status.getPid() != pid) {
            pid = status.getPid();
            beginAnew();
        }
        List<HistorySample> samples = new ArrayList<>();
        GetHistoryRequest tenMinutes = GetHistoryRequest.newBuilder()
                .setSince(com.google.protobuf.Duration.newBuilder().setSeconds(SPAN.toSeconds()))
                .build();
        Iterator<GetHistoryReply> parts = attached.stream(LOOK, stub -> stub.getHistory(tenMinutes));
        parts.forEachRemaining(part -> samples.addAll(part.getSamplesList()));
        GetCloudBudgetReply budget =
                attached.inspect(LOOK, stub -> stub.getCloudBudget(GetCloudBudgetRequest.getDefaultInstance()));
        newEvents(attached);
        return new Snapshot(
                clock.instant(),
                Optional.empty(),
                status,
                samples,
                budget.getApisList(),
                List.copyOf(events),
                load.get());
    }

    private void newEvents(DaemonConnection attached) {
        long after = events.isEmpty() ? 0 : events.getLast().getSequence();
        WatchEventsRequest.Builder request =
                WatchEventsRequest.newBuilder().setAfterSequence(after).setRun(run);
        Iterator<WatchEventsReply> parts = attached.stream(LOOK, stub -> stub.watchEvents(request.build()));
        parts.forEachRemaining(part -> {
            if (!part.getRun().equals(run)) {
                run = part.getRun();
                beginAnew();
            }
            events.addAll(part.getEventsList());
            while (events.size() > EVENTS) {
                events.removeFirst();
            }
        });
    }

    private void beginAnew() {
        events.clear();
        framedSample = 0;
        framedEvent = 0;
    }

    /** A glance as a message: of samples and events only what no frame before had. */
    public TopFrame frame(Snapshot glance) {
        List<HistorySample> samples = glance.samples().stream()
                .filter(sample -> sample.getSequence() > framedSample)
                .toList();
        List<Event> fresh = glance.events().stream()
                .filter(event -> event.getSequence() > framedEvent)
                .toList();
        samples.forEach(sample -> framedSample = sample.getSequence());
        fresh.forEach(event -> framedEvent = event.getSequence());
        return TopFrame.newBuilder()
                .setAt(Timestamps.fromMillis(glance.at().toEpochMilli()))
                .setAway(glance.away().map(Snapshot.Away::why).orElse(""))
                .setStatus(glance.status())
                .addAllSamples(samples)
                .addAllApis(glance.apis())
                .addAllEvents(fresh)
                .build();
    }
}

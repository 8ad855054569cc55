package io.enipam.shell.status;

import io.enipam.shell.chart.Glyphs;
import io.enipam.shell.chart.SampleSeries;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.Event;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Draws a frame: a head, the pool, the calls, the API budgets, the process, the last events. On a low screen the events
 * go first, then APIs, down to one line each; what is most needed at night stays at the top.
 */
public record Dashboard(Glyphs glyphs, RenderContext look) {
    static final int LEAST_WIDTH = 40;

    static final int LEAST_HEIGHT = 8;
    private static final int MOST_APIS = 10;
    /** Columns of an event: behind the time and the longest severity, and behind most types. */
    private static final int EVENT_TYPE = 21;

    private static final int EVENT_SUBJECT = 40;

    /** At most {@code height} lines of a frame, of at most {@code width} columns; {@code paused} if it stands still. */
    public List<String> frame(Snapshot glance, int width, int height, boolean paused) {
        return rows(glance, width, height, paused, "").stream()
                .map(row -> row.in(look.palette(), width))
                .toList();
    }

    /** The same before it is cut; of events and APIs those that have the {@code filter} somewhere, in any case. */
    List<StyledLine> rows(Snapshot glance, int width, int height, boolean paused, String filter) {
        if (width < LEAST_WIDTH || height < LEAST_HEIGHT) {
            String small = "the terminal is too small: " + LEAST_WIDTH + "x" + LEAST_HEIGHT + " at least";
            return List.of(new StyledLine().add(small));
        }
        String wanted = filter.toLowerCase(Locale.ROOT);
        SampleSeries series = new SampleSeries(glance.samples(), DashboardCollector.SPAN);
        DashboardPanels panels = new DashboardPanels(glyphs, width, series);
        List<StyledLine> rows = new ArrayList<>();
        rows.add(head(glance, width, paused));
        rows.add(trouble(glance));
        rows.addAll(panels.pool(glance.status().getPool()));
        rows.addAll(panels.calls());
        List<StyledLine> process = new ArrayList<>(cluster(glance));
        process.add(panels.process());
        List<StyledLine> apis = panels.apis(
                glance.apis().stream().filter(api -> has(wanted, api.getApi())).toList(), look.now());
        int left = height - rows.size() - process.size();
        int forApis = Math.min(Math.min(apis.size(), MOST_APIS + 1), Math.max(0, left - 3));
        if (forApis >= 2) {
            rows.addAll(apis.subList(0, forApis));
            left -= forApis;
        }
        rows.addAll(process);
        if (left >= 2) {
            List<Event> events = glance.events().stream()
                    .filter(event ->
                            has(wanted, event.getSeverity(), event.getType(), event.getSubject(), event.getMessage()))
                    .toList();
            rows.addAll(events(events, left - 1, filter));
        }
        return rows.stream().limit(height).toList();
    }

    private static boolean has(String wanted, String... texts) {
        return Stream.of(texts).anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(wanted));
    }

    private StyledLine head(Snapshot glance, int width, boolean paused) {
        GetStatusReply status = glance.status();
        boolean away = glance.away().isPresent();
        String up = "  up " + TimeFormat.span(TimeFormat.duration(status.getUptime()));
        return new StyledLine()
                .add(Tone.HEAD, status.getNode() + (status.getSandbox() ? " (sandbox)" : ""))
                .add("  ")
                .add(away ? Tone.BAD : Tone.ofState(status.getPhase()), away ? "AWAY" : status.getPhase())
                .add(up + "  enipamd " + status.getVersion())
                .add(glance.load().isEmpty() ? "" : "  load " + glance.load())
                .add(paused ? "  " : "")
                .add(Tone.WAIT, paused ? "PAUSED" : "")
                .right(width, Tone.LABEL, look.clock(TimeFormat.timestamp(glance.at())));
    }

    private StyledLine trouble(Snapshot glance) {
        if (glance.away().isPresent()) {
            Snapshot.Away away = glance.away().get();
            String span = TimeFormat.span(Duration.between(away.since(), glance.at()));
            return new StyledLine().add(Tone.BAD, "away for " + span + ", reconnecting: " + away.why());
        }
        GetStatusReply status = glance.status();
        if (status.getTroublesCount() > 0) {
            Trouble first = status.getTroubles(0);
            return new StyledLine()
                    .add(TroubleViews.tone(first), TroubleViews.lasting(first, look) + TroubleViews.more(status))
                    .opens("trouble", "status");
        }
        return status.getDetail().isEmpty()
                ? new StyledLine().add(Tone.LABEL, "no trouble is known")
                : new StyledLine().add(Tone.WAIT, status.getDetail());
    }

    private static List<StyledLine> cluster(Snapshot glance) {
        if (!glance.status().hasCluster()) {
            return List.of();
        }
        ClusterStatus cluster = glance.status().getCluster();
        Tone tone = cluster.getWatching() ? Tone.PLAIN : Tone.BAD;
        String link = NodeCommands.cluster(cluster, glance.at());
        return List.of(new StyledLine().add(Tone.HEAD, "CLUSTER").add("  ").add(tone, link));
    }

    private List<StyledLine> events(List<Event> events, int most, String filter) {
        List<StyledLine> rows = new ArrayList<>();
        rows.add(new StyledLine().add(Tone.HEAD, "EVENTS"));
        events.stream().skip(Math.max(0, events.size() - most)).map(this::event).forEach(rows::add);
        if (rows.size() == 1) {
            String none = filter.isEmpty() ? "nothing has happened yet" : "no event has '" + filter + "'";
            rows.add(new StyledLine().add(Tone.LABEL, "  " + none));
        }
        return rows;
    }

    private StyledLine event(Event event) {
        boolean calm = event.getSeverity().equals("INFO");
        Tone tone = Tone.ofState(event.getSeverity());
        return new StyledLine()
                .add("  ")
                .add(Tone.LABEL, look.clock(event.getAt()))
                .add("  ")
                .add(calm ? Tone.LABEL : tone, event.getSeverity())
                .to(EVENT_TYPE)
                .add(calm ? Tone.PLAIN : tone, event.getType())
                .to(EVENT_SUBJECT)
                .add(Tone.LABEL, event.getSubject())
                .add(event.getSubject().isEmpty() ? "" : "  ")
                .add(event.getMessage())
                .opens("event " + event.getSequence(), saidOf(event));
    }

    /** The latest events of the kind, and what is known of what it was about. */
    private static List<List<String>> saidOf(Event event) {
        List<String> kind = List.of("events", "--type", event.getType(), "-n", "5");
        return event.getSubject().isEmpty() ? List.of(kind) : List.of(kind, List.of("explain", event.getSubject()));
    }

    /**
     * All that one frame shows: what the daemon answered last, and whether it still does. Samples, of the last ten
     * minutes, and events begin with the oldest; {@code load} is empty if the machine does not say.
     */
    public record Snapshot(
            Instant at,
            Optional<Away> away,
            GetStatusReply status,
            List<HistorySample> samples,
            List<CloudApiBudget> apis,
            List<Event> events,
            String load) {
        public Snapshot {
            samples = List.copyOf(samples);
            apis = List.copyOf(apis);
            events = List.copyOf(events);
        }

        Snapshot away(Instant now, Away why, String loadNow) {
            return new Snapshot(now, Optional.of(why), status, samples, apis, events, loadNow);
        }

        /** What came instead of an answer, and when it first did not come. */
        public record Away(String why, Instant since) {}
    }
}

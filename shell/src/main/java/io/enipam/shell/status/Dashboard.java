package io.enipam.shell.status;

import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.Event;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.HistorySample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Draws a frame: a head, the pool, the calls, the API budgets, the process, the last events.
 *
 * <p>On a low screen the events go first, then APIs, down to one line each; what is most needed at night stays at the top.
 *
 * @param glyphs what charts are made of
 * @param look colours, and the zone of times
 */
public record Dashboard(Glyphs glyphs, RenderContext look) {
    /** Below this nothing can be read. */
    static final int LEAST_WIDTH = 40;

    static final int LEAST_HEIGHT = 8;
    private static final int MOST_APIS = 10;
    /** Columns of an event: behind the time and the longest severity, and behind most types. */
    private static final int EVENT_TYPE = 21;

    private static final int EVENT_SUBJECT = 40;

    /**
     * The lines of a frame.
     *
     * @param width columns that may be used
     * @param height lines that may be used; fewer may come
     * @param paused whether the picture stands still
     */
    public List<String> frame(Snapshot glance, int width, int height, boolean paused) {
        if (width < LEAST_WIDTH || height < LEAST_HEIGHT) {
            return List.of(new StyledLine()
                    .add("the terminal is too small: " + LEAST_WIDTH + "x" + LEAST_HEIGHT + " at least")
                    .in(look.palette(), width));
        }
        DashboardPanels panels =
                new DashboardPanels(glyphs, width, new SampleSeries(glance.samples(), DashboardCollector.SPAN));
        List<StyledLine> rows = new ArrayList<>();
        rows.add(head(glance, width, paused));
        rows.add(trouble(glance));
        rows.addAll(panels.pool(glance.status().getPool()));
        rows.addAll(panels.calls());
        List<StyledLine> process = new ArrayList<>(cluster(glance));
        process.add(panels.process());
        List<StyledLine> apis = panels.apis(glance.apis(), look.now());
        int left = height - rows.size() - process.size();
        int forApis = Math.min(Math.min(apis.size(), MOST_APIS + 1), Math.max(0, left - 3));
        if (forApis >= 2) {
            rows.addAll(apis.subList(0, forApis));
            left -= forApis;
        }
        rows.addAll(process);
        if (left >= 2) {
            rows.addAll(events(glance.events(), left - 1));
        }
        return rows.stream()
                .limit(height)
                .map(row -> row.in(look.palette(), width))
                .toList();
    }

    private StyledLine head(Snapshot glance, int width, boolean paused) {
        GetStatusReply status = glance.status();
        StyledLine row = new StyledLine()
                .add(Tone.HEAD, status.getNode() + (status.getSandbox() ? " (sandbox)" : ""))
                .add("  ")
                .add(
                        glance.away().isPresent() ? Tone.BAD : Tone.ofState(status.getPhase()),
                        glance.away().isPresent() ? "AWAY" : status.getPhase())
                .add("  up " + TimeFormat.span(TimeFormat.duration(status.getUptime())) + "  enipamd "
                        + status.getVersion());
        if (!glance.load().isEmpty()) {
            row.add("  load " + glance.load());
        }
        if (paused) {
            row.add("  ").add(Tone.WAIT, "PAUSED");
        }
        return row.right(width, Tone.LABEL, TimeFormat.clock(TimeFormat.timestamp(glance.at()), look.zone()));
    }

    private static StyledLine trouble(Snapshot glance) {
        if (glance.away().isPresent()) {
            Snapshot.Away away = glance.away().get();
            return new StyledLine()
                    .add(
                            Tone.BAD,
                            "away for " + TimeFormat.span(Duration.between(away.since(), glance.at()))
                                    + ", reconnecting: " + away.why());
        }
        GetStatusReply status = glance.status();
        if (status.getConditionsCount() > 0) {
            String more =
                    status.getConditionsCount() > 1 ? " (and " + (status.getConditionsCount() - 1) + " more)" : "";
            return new StyledLine().add(Tone.BAD, status.getConditions(0) + more);
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
        return List.of(new StyledLine()
                .add(Tone.HEAD, "CLUSTER")
                .add("  ")
                .add(cluster.getWatching() ? Tone.PLAIN : Tone.BAD, NodeViews.cluster(cluster, glance.at())));
    }

    private List<StyledLine> events(List<Event> events, int most) {
        List<StyledLine> rows = new ArrayList<>();
        rows.add(new StyledLine().add(Tone.HEAD, "EVENTS"));
        events.stream().skip(Math.max(0, events.size() - most)).map(this::event).forEach(rows::add);
        if (rows.size() == 1) {
            rows.add(new StyledLine().add(Tone.LABEL, "  nothing has happened yet"));
        }
        return rows;
    }

    private StyledLine event(Event event) {
        boolean calm = event.getSeverity().equals("INFO");
        StyledLine row = new StyledLine()
                .add("  ")
                .add(Tone.LABEL, TimeFormat.clock(event.getAt(), look.zone()))
                .add("  ")
                .add(calm ? Tone.LABEL : Tone.ofState(event.getSeverity()), event.getSeverity())
                .to(EVENT_TYPE)
                .add(calm ? Tone.PLAIN : Tone.ofState(event.getSeverity()), event.getType());
        row.to(EVENT_SUBJECT);
        if (!event.getSubject().isEmpty()) {
            row.add(Tone.LABEL, event.getSubject()).add("  ");
        }
        return row.add(event.getMessage());
    }

    /**
     * All that one frame shows.
     *
     * @param at when it was looked
     * @param away why the daemon does not answer; the rest is then what it answered last
     * @param samples of the last ten minutes, the oldest first
     * @param apis what each API of the cloud may be asked
     * @param events the latest ones, the oldest first
     * @param load the machine's load averages; empty text if it does not say
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

        /** The same of a daemon that does not answer any more. */
        Snapshot away(Instant now, Away why, String loadNow) {
            return new Snapshot(now, Optional.of(why), status, samples, apis, events, loadNow);
        }

        /**
         * A daemon that does not answer.
         *
         * @param why what came instead of an answer
         * @param since when it first did not
         */
        public record Away(String why, Instant since) {}
    }
}

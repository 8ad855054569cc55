package io.enipam.shell.top;

import io.enipam.shell.render.ClusterViews;
import io.enipam.shell.render.Look;
import io.enipam.shell.render.Times;
import io.enipam.shell.render.Tone;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.Event;
import io.enipam.v1.GetStatusReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Draws a frame: a head, the pool, the calls, the API budgets, the process, the last events.
 *
 * <p>On a low screen the events go first, then APIs, down to one line each; what is most needed at night stays at the top.
 *
 * @param glyphs what charts are made of
 * @param look colours, and the zone of times
 */
public record Dashboard(Glyphs glyphs, Look look) {
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
    public List<String> frame(Glance glance, int width, int height, boolean paused) {
        if (width < LEAST_WIDTH || height < LEAST_HEIGHT) {
            return List.of(new Row()
                    .add("the terminal is too small: " + LEAST_WIDTH + "x" + LEAST_HEIGHT + " at least")
                    .in(look.palette(), width));
        }
        Series series = new Series(glance.samples(), Observer.SPAN);
        List<Row> rows = new ArrayList<>();
        rows.add(head(glance, width, paused));
        rows.add(trouble(glance));
        rows.addAll(new PoolPanel(glyphs, width).rows(glance.status().getPool(), series));
        rows.addAll(new CallPanel(glyphs, width).rows(series));
        List<Row> process = new ArrayList<>(cluster(glance));
        process.addAll(ProcessPanel.rows(series));
        List<Row> apis = new ApiPanel(glyphs, width).rows(glance.apis(), look.now());
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

    private Row head(Glance glance, int width, boolean paused) {
        GetStatusReply status = glance.status();
        Row row = new Row()
                .add(Tone.HEAD, status.getNode() + (status.getSandbox() ? " (sandbox)" : ""))
                .add("  ")
                .add(
                        glance.away().isPresent() ? Tone.BAD : Tone.ofState(status.getPhase()),
                        glance.away().isPresent() ? "AWAY" : status.getPhase())
                .add("  up " + Times.span(Times.duration(status.getUptime())) + "  enipamd " + status.getVersion());
        if (!glance.load().isEmpty()) {
            row.add("  load " + glance.load());
        }
        if (paused) {
            row.add("  ").add(Tone.WAIT, "PAUSED");
        }
        return row.right(width, Tone.LABEL, Times.clock(Times.timestamp(glance.at()), look.zone()));
    }

    private static Row trouble(Glance glance) {
        if (glance.away().isPresent()) {
            Glance.Away away = glance.away().get();
            return new Row()
                    .add(
                            Tone.BAD,
                            "away for " + Times.span(Duration.between(away.since(), glance.at())) + ", reconnecting: "
                                    + away.why());
        }
        GetStatusReply status = glance.status();
        if (status.getConditionsCount() > 0) {
            String more =
                    status.getConditionsCount() > 1 ? " (and " + (status.getConditionsCount() - 1) + " more)" : "";
            return new Row().add(Tone.BAD, status.getConditions(0) + more);
        }
        return status.getDetail().isEmpty()
                ? new Row().add(Tone.LABEL, "no trouble is known")
                : new Row().add(Tone.WAIT, status.getDetail());
    }

    private static List<Row> cluster(Glance glance) {
        if (!glance.status().hasCluster()) {
            return List.of();
        }
        ClusterStatus cluster = glance.status().getCluster();
        return List.of(new Row()
                .add(Tone.HEAD, "CLUSTER")
                .add("  ")
                .add(ClusterViews.tone(cluster), ClusterViews.figures(cluster, glance.at())));
    }

    private List<Row> events(List<Event> events, int most) {
        List<Row> rows = new ArrayList<>();
        rows.add(new Row().add(Tone.HEAD, "EVENTS"));
        events.stream().skip(Math.max(0, events.size() - most)).map(this::event).forEach(rows::add);
        if (rows.size() == 1) {
            rows.add(new Row().add(Tone.LABEL, "  nothing has happened yet"));
        }
        return rows;
    }

    private Row event(Event event) {
        boolean calm = event.getSeverity().equals("INFO");
        Row row = new Row()
                .add("  ")
                .add(Tone.LABEL, Times.clock(event.getAt(), look.zone()))
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
}

package io.enipam.shell.command;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.EventViews;
import io.enipam.shell.render.Json;
import io.enipam.shell.render.Yaml;
import io.enipam.v1.Event;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "events",
        description = "What happened lately; with -f also what happens until Ctrl-C.",
        footer = {"  events -f", "  events -f -o json     one JSON document a line"})
final class EventsCommand extends DaemonCommand {
    /** How long one call follows; the next one goes on after the last event seen. */
    private static final Duration FOLLOW = Duration.ofHours(1);

    @Option(
            names = {"-f", "--follow"},
            description = "Wait for more.")
    boolean follow;

    EventsCommand(Session session) {
        super(session);
    }

    @Override
    Optional<String> onlyByHand() {
        return follow ? Optional.of("events -f ends only at Ctrl-C") : Optional.empty();
    }

    @Override
    boolean endless() {
        return follow;
    }

    @Override
    void run() {
        if (follow) {
            follow();
        } else {
            showList(
                    "events",
                    stub -> stub.watchEvents(WatchEventsRequest.getDefaultInstance()),
                    WatchEventsReply::getEventsList,
                    (events, look) -> events.isEmpty()
                            ? List.of(look.advising("nothing has happened yet", "; to watch: events -f"))
                            : events.stream()
                                    .map(event -> EventViews.line(event, look))
                                    .toList(),
                    event -> Long.toString(event.getSequence()));
        }
    }

    private String shown(Event event) {
        return switch (format()) {
            case JSON -> Json.line(event);
            case YAML -> "---\n" + Yaml.document(event);
            case NAME -> Long.toString(event.getSequence());
            case TABLE, WIDE -> EventViews.line(event, session.look());
        };
    }

    /** Follows until the daemon ends the stream, the command is interrupted, or nobody reads the output any more. */
    private void follow() {
        long last = 0;
        boolean more = true;
        while (more) {
            WatchEventsRequest request = WatchEventsRequest.newBuilder()
                    .setFollow(true)
                    .setAfterSequence(last)
                    .build();
            Iterator<WatchEventsReply> parts = session.daemon().stream(FOLLOW, stub -> stub.watchEvents(request));
            try {
                while (parts.hasNext() && !out().checkError()) {
                    for (Event event : parts.next().getEventsList()) {
                        last = event.getSequence();
                        out().println(shown(event));
                    }
                    out().flush();
                }
                more = false;
            } catch (ShellException e) {
                if (!e.code().equals("DEADLINE_EXCEEDED")) {
                    throw last == 0 ? e : e.cut("behind event " + last);
                }
            }
        }
    }
}

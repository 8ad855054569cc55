package io.enipam.shell.event;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.Event;
import java.util.Map;
import java.util.stream.Collectors;

/** Events, as a list or as lines that come one by one. */
final class EventViews {
    /** All that are remembered, the oldest first; their names are their numbers. */
    static final TableListing<Event> ALL =
            columns().none("nothing has happened yet", "; to watch: events -f").build();

    /** Some of them. */
    static final TableListing<Event> CHOSEN = columns()
            .none("no such event is remembered", "; all of them: events")
            .build();

    private EventViews() {}

    private static TableListing.Builder<Event> columns() {
        return TableListing.<Event>of("events", event -> Long.toString(event.getSequence()))
                .clock("time", "TIME", Event::getAt, Tone.LABEL)
                .state("severity", "SEVERITY", Event::getSeverity)
                .text("type", "TYPE", Event::getType)
                .text("subject", "SUBJECT", Event::getSubject)
                .wideNumber("number", "NUMBER", Event::getSequence)
                .wideText("attributes", "ATTRIBUTES", EventViews::attributes)
                .text("message", "MESSAGE", Event::getMessage)
                .flowing();
    }

    private static String attributes(Event event) {
        return event.getAttributesMap().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    /** One that has just come: its columns have widths that fit most and push the rest aside. */
    static String line(Event event, RenderContext look) {
        String severity = pad(event.getSeverity(), 7);
        return look.palette().paint(Tone.LABEL, TimeFormat.clock(event.getAt(), look.zone()))
                + "  " + look.palette().paint(Tone.ofState(event.getSeverity()), severity)
                + "  " + Palette.clean(pad(event.getType(), 20))
                + "  " + Palette.clean(pad(event.getSubject(), 24))
                + "  " + Palette.clean(event.getMessage());
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}

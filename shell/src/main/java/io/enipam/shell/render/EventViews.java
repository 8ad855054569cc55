package io.enipam.shell.render;

import io.enipam.v1.Event;

/** Events, one line each. They come one by one, so the columns have widths that fit most and push the rest aside. */
public final class EventViews {
    private EventViews() {}

    public static String line(Event event, Look look) {
        String severity = pad(event.getSeverity(), 7);
        return look.palette().paint(Tone.LABEL, Times.clock(event.getAt(), look.zone()))
                + "  " + look.palette().paint(Tone.ofState(event.getSeverity()), severity)
                + "  " + Palette.clean(pad(event.getType(), 20))
                + "  " + Palette.clean(pad(event.getSubject(), 24))
                + "  " + Palette.clean(event.getMessage());
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}

package io.enipam.shell.render;

import io.enipam.v1.LogRecord;
import java.util.ArrayList;
import java.util.List;

/** Log records, one line each, and below it what was thrown. */
public final class LogViews {
    private static final int LOGGER = 32;

    private LogViews() {}

    public static List<String> lines(List<LogRecord> records, Look look) {
        if (records.isEmpty()) {
            return List.of("nothing was logged");
        }
        List<String> lines = new ArrayList<>();
        for (LogRecord record : records) {
            Tone tone = Tone.ofState(record.getLevel().equals("WARN") ? "WARNING" : record.getLevel());
            lines.add(look.palette().paint(Tone.LABEL, Times.clock(record.getAt(), look.zone())) + "  "
                    + look.palette().paint(tone, pad(record.getLevel(), 5)) + "  "
                    + look.palette().paint(Tone.LABEL, pad(record.getLogger(), LOGGER)) + "  "
                    + Palette.clean(record.getMessage().replaceAll("\\R", " / ")));
            record.getThrownList().forEach(line -> lines.add("    " + Palette.clean(line.replace("\t", "  "))));
        }
        return lines;
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}

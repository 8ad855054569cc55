package io.enipam.shell.bundle;

import io.enipam.shell.render.Look;
import io.enipam.shell.render.Palette;
import io.enipam.shell.render.Tone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a person reads when a bundle is made. */
public final class Summary {
    private Summary() {}

    /**
     * How it went, and what is missing.
     *
     * @param bytes how long the archive is
     */
    public static List<String> of(List<Collected> parts, String file, long bytes, Duration took, Look look) {
        long fine = count(parts, Collected.Outcome.OK);
        long absent = count(parts, Collected.Outcome.ABSENT);
        long failed = parts.size() - fine - absent;
        List<String> lines = new ArrayList<>();
        lines.add(Palette.clean(String.format(
                Locale.ROOT,
                "%d parts: %d fine, %d not there, %d failed; %.1f KiB in %s, in %.1f s",
                parts.size(),
                fine,
                absent,
                failed,
                bytes / 1024.0,
                file,
                took.toMillis() / 1e3)));
        for (Collected part : parts) {
            boolean amiss = part.outcome() != Collected.Outcome.OK && part.outcome() != Collected.Outcome.ABSENT;
            if (amiss) {
                lines.add(look.palette()
                                .paint(
                                        Tone.BAD,
                                        part.outcome()
                                                .name()
                                                .toLowerCase(Locale.ROOT)
                                                .replace('_', ' '))
                        + ": "
                        + Palette.clean(part.part().what() + ": " + part.why().replaceAll("\\R", " ")));
            } else if (part.cut()) {
                lines.add(look.palette().paint(Tone.WAIT, "cut") + ": "
                        + Palette.clean(part.part().what()));
            }
        }
        if (look.advice()) {
            lines.add("open report.html in it first: tar -xzf " + Palette.clean(file));
        }
        return lines;
    }

    private static long count(List<Collected> parts, Collected.Outcome outcome) {
        return parts.stream().filter(part -> part.outcome() == outcome).count();
    }
}

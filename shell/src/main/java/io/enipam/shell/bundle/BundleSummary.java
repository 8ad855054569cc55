package io.enipam.shell.bundle;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Tone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a person reads when a bundle is made. */
public final class BundleSummary {
    private BundleSummary() {}

    /**
     * How it went, and what is missing.
     *
     * @param bytes how long the archive is
     */
    public static List<String> of(
            List<CollectedPart> parts, String file, long bytes, Duration took, RenderContext look) {
        long fine = count(parts, CollectedPart.Outcome.OK);
        long absent = count(parts, CollectedPart.Outcome.ABSENT);
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
        for (CollectedPart part : parts) {
            boolean amiss =
                    part.outcome() != CollectedPart.Outcome.OK && part.outcome() != CollectedPart.Outcome.ABSENT;
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

    private static long count(List<CollectedPart> parts, CollectedPart.Outcome outcome) {
        return parts.stream().filter(part -> part.outcome() == outcome).count();
    }
}

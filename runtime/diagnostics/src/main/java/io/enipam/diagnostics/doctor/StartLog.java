package io.enipam.diagnostics.doctor;

import static java.util.stream.Collectors.joining;

import io.enipam.platform.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of the last starts and orderly ends, a time a line; that of an end has {@value #ENDED} behind it. What cannot be read or
 * written is no reason not to start.
 */
public final class StartLog {
    static final int KEPT = 50;

    private static final String ENDED = " ended";

    private static final Logger LOG = LoggerFactory.getLogger(StartLog.class);

    private StartLog() {}

    /** Records a start and returns all that are kept, this one included. */
    public static Starts add(Path file, Instant start) {
        List<Line> before = read(file);
        List<Line> lines = new ArrayList<>(before);
        lines.add(new Line(start, false));
        write(file, lines);
        List<Instant> starts =
                lines.stream().filter(line -> !line.ended()).map(Line::at).toList();
        return new Starts(starts.subList(Math.max(0, starts.size() - KEPT), starts.size()), lastRun(before));
    }

    /** Records an orderly end: a start without one was killed, or crashed. */
    public static void end(Path file, Instant at) {
        List<Line> lines = new ArrayList<>(read(file));
        lines.add(new Line(at, true));
        write(file, lines);
    }

    private static Optional<LastRun> lastRun(List<Line> before) {
        return before.stream()
                .filter(line -> !line.ended())
                .reduce((former, later) -> later)
                .map(start -> new LastRun(
                        start.at(),
                        Optional.of(before.get(before.size() - 1))
                                .filter(Line::ended)
                                .map(Line::at)));
    }

    private static void write(Path file, List<Line> lines) {
        String text = lines.stream()
                .skip(Math.max(0, lines.size() - 2L * KEPT))
                .map(line -> line.at() + (line.ended() ? ENDED : "") + "\n")
                .collect(joining());
        try {
            AtomicFile.write(file, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            LOG.warn("{} cannot be written: {}", file, e.toString());
        }
    }

    private static List<Line> read(Path file) {
        if (!Files.exists(file)) {
            return List.of();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.flatMap(line -> parsed(line).stream()).toList();
        } catch (IOException | RuntimeException e) {
            LOG.warn("the file of starts {} cannot be read: {}", file, e.toString());
            return List.of();
        }
    }

    private static Optional<Line> parsed(String line) {
        boolean ended = line.endsWith(ENDED);
        try {
            return Optional.of(new Line(Instant.parse(line.replace(ENDED, "").strip()), ended));
        } catch (DateTimeException e) {
            return Optional.empty(); // a line that a full disk has cut
        }
    }

    private record Line(Instant at, boolean ended) {}

    /**
     * @param starts when the daemon started, the last times; the present one is the last
     * @param lastRun the one before this; empty if this is the first
     */
    public record Starts(List<Instant> starts, Optional<LastRun> lastRun) {}

    /** @param stopped when it stopped in order; empty if it was killed, or crashed */
    public record LastRun(Instant since, Optional<Instant> stopped) {}
}

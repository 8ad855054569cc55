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

/** The file of the last starts, a time a line. What cannot be read or written is no reason not to start. */
public final class StartLog {
    static final int KEPT = 50;

    private static final Logger LOG = LoggerFactory.getLogger(StartLog.class);

    private StartLog() {}

    /** Records a start and returns all that are kept, this one included. */
    public static Starts add(Path file, Instant start) {
        List<Instant> starts = new ArrayList<>(read(file));
        starts.add(start);
        List<Instant> kept = starts.subList(Math.max(0, starts.size() - KEPT), starts.size());
        try {
            String lines = kept.stream().map(one -> one + "\n").collect(joining());
            AtomicFile.write(file, lines.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            LOG.warn("the start cannot be written down in {}: {}", file, e.toString());
        }
        return new Starts(kept);
    }

    private static List<Instant> read(Path file) {
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

    private static Optional<Instant> parsed(String line) {
        try {
            return Optional.of(Instant.parse(line.strip()));
        } catch (DateTimeException e) {
            return Optional.empty(); // a line that a full disk has cut
        }
    }

    /** When the daemon started, the last times; the present one is the last. */
    public record Starts(List<Instant> starts) {}
}

package ${package};

import io.enipam.sdk.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of a directory, at which it looks ten times a second. Thread-safe. */
final class ${className}Source implements Source {
    private static final long PAUSE_MILLIS = 100;

    private final Path directory;
    private final Set<String> names = ConcurrentHashMap.newKeySet();

    ${className}Source(Path directory) {
        this.directory = directory;
    }

    @Override
    public String name() {
        return "wanted";
    }

    /** Whether there is a file of this name, as it was at the last look. */
    boolean has(String name) {
        return names.contains(name);
    }

    @Override
    public AutoCloseable open(Sink sink) {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        Set<String> told = new HashSet<>();
        timer.scheduleWithFixedDelay(() -> look(sink, told), 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        return timer::shutdownNow;
    }

    private void look(Sink sink, Set<String> told) {
        try (Stream<Path> files = Files.list(directory)) {
            Set<String> now = files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
            Set<String> changed = new HashSet<>(now);
            changed.addAll(told);
            changed.removeIf(name -> now.contains(name) == told.contains(name));
            names.addAll(now);
            names.retainAll(now);
            told.retainAll(now);
            told.addAll(now);
            changed.forEach(sink::changed); // only now: reconcile asks for the names
            sink.synced();
        } catch (IOException | RuntimeException e) {
            sink.lost(e.toString()); // the host opens the sources again, after a pause
        }
    }
}

package io.enipam.pluginhost.load;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.config.IoReason;
import io.enipam.platform.AtomicFile;
import io.enipam.pluginhost.load.PluginCatalog.PluginLoadException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which plugin is being loaded, on disk, so that a process that a plugin ended names it at its next start. A plugin that was being
 * loaded when {@value #MOST_DEATHS} processes in a row ended is set aside: its code does not run until its jars are replaced, or the
 * operator asks for it.
 *
 * <p>There is a file for each plugin, named by its id. It is on disk before a line of the plugin's code runs, and is gone from disk
 * when that code has returned or thrown. So a file that a start finds is that of a plugin whose loading did not end. Code that goes on
 * after its deadline keeps its file, since it may end the process still.
 *
 * <p>Thread-safe. Only one plugin is being loaded at a time, or the files would not tell which of two ended the process.
 */
public final class LoadingRecord {
    static final int MOST_DEATHS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(LoadingRecord.class);
    private static final JsonMapper JSON = new JsonMapper();

    private final Optional<Path> directory;
    private final boolean writes;

    private LoadingRecord(Optional<Path> directory, boolean writes) {
        this.directory = directory;
        this.writes = writes;
    }

    /** @param directory made when it is needed */
    public static LoadingRecord in(Path directory) {
        return new LoadingRecord(Optional.of(directory), true);
    }

    /** For a program that must change nothing: it sets aside what a daemon would set aside. */
    public static LoadingRecord readOnly(Path directory) {
        return new LoadingRecord(Optional.of(directory), false);
    }

    /** For a daemon of which nothing is left for a next start. */
    public static LoadingRecord none() {
        return new LoadingRecord(Optional.empty(), false);
    }

    /**
     * What a file says.
     *
     * @param deaths how many processes ended while they loaded the plugin, before the one that wrote this
     * @param jars {@link PluginFinder.PluginFiles#fingerprint} of what was loaded
     */
    record Attempt(int deaths, String jars) {}

    /**
     * Writes down that a plugin is being loaded.
     *
     * @return to be closed when its code has ended
     * @throws PluginLoadException if the plugin is set aside
     */
    Mark begin(String id, String jars) throws PluginLoadException {
        if (directory.isEmpty()) {
            return new Mark(Optional.empty());
        }
        Path file = directory.get().resolve(id);
        int deaths = deaths(file, jars);
        if (deaths >= MOST_DEATHS) {
            throw new PluginLoadException("set aside, since the daemon ended " + deaths
                    + " times in a row while it loaded this plugin; replace its jar, and then: plugin reload " + id
                    + " (that loads the same jar once more, too, and so does a restart after " + file
                    + " was removed)");
        }
        if (deaths > 0) {
            LOG.warn("the last daemon ended while it loaded plugin {}; once more, and the plugin is set aside", id);
        }
        if (!writes) {
            return new Mark(Optional.empty());
        }
        try {
            Files.createDirectories(directory.get());
            AtomicFile.write(file, JSON.writeValueAsBytes(new Attempt(deaths, jars)));
        } catch (IOException e) {
            LOG.warn("that plugin {} is being loaded cannot be written down: {}", id, IoReason.withFile(e));
            return new Mark(Optional.empty());
        }
        return new Mark(Optional.of(file));
    }

    /** A plugin is not set aside any more. */
    void forget(String id) {
        if (writes && directory.isPresent()) {
            new Mark(Optional.of(directory.get().resolve(id))).close();
        }
    }

    /** A file that cannot be read counts as none, so that no plugin is set aside for a broken disk. */
    private static int deaths(Path file, String jars) {
        try {
            if (Files.exists(file)) {
                Attempt last = JSON.readValue(file.toFile(), Attempt.class);
                return last.jars().equals(jars) ? last.deaths() + 1 : 0;
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("{} is not read: {}", file, String.valueOf(e.getMessage()));
        }
        return 0;
    }

    /** That a plugin is being loaded. */
    static final class Mark implements AutoCloseable {
        private final Optional<Path> file;
        private final AtomicBoolean ended = new AtomicBoolean();

        private Mark(Optional<Path> file) {
            this.file = file;
        }

        /** Its code has ended, and the process has not. Closing it again does nothing. */
        @Override
        public void close() {
            if (file.isPresent() && ended.compareAndSet(false, true) && Files.exists(file.get())) {
                try {
                    AtomicFile.delete(file.get());
                } catch (IOException e) {
                    LOG.warn("{} cannot be removed: {}; remove it", file.get(), IoReason.of(e));
                }
            }
        }
    }
}

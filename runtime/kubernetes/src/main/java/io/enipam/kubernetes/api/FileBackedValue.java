package io.enipam.kubernetes.api;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that was made of files, and is made anew whenever they are others. While that fails the last one is used: somebody may
 * be writing. Thread-safe; {@code this} guards what was made.
 */
final class FileBackedValue<T> {
    private static final Logger LOG = LoggerFactory.getLogger(FileBackedValue.class);

    private final List<Path> files;
    private final Loader<T> maker;
    private List<FileVersion> versions;
    private T made;

    /** Makes it of what the files say now. */
    @FunctionalInterface
    interface Loader<T> {
        T make() throws IOException, GeneralSecurityException;
    }

    FileBackedValue(List<Path> files, Loader<T> maker) throws IOException, GeneralSecurityException {
        this.files = List.copyOf(files);
        this.maker = maker;
        // before it is made: what is replaced meanwhile is another version
        this.versions = versions();
        this.made = maker.make();
    }

    synchronized T current() {
        try {
            List<FileVersion> there = versions();
            if (!there.equals(versions)) {
                made = maker.make();
                versions = there;
                LOG.info("{} were replaced, and are read anew", files);
            }
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            LOG.warn("{} cannot be read, so what was read before is used: {}", files, e.toString());
        }
        return made;
    }

    private List<FileVersion> versions() throws IOException {
        List<FileVersion> all = new ArrayList<>();
        for (Path file : files) {
            all.add(FileVersion.of(file));
        }
        return all;
    }
}

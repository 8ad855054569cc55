package io.enipam.shell.pipe;

import io.enipam.shell.core.AtomicOutputFile;
import io.enipam.shell.pipe.Filter.LineSink;
import io.enipam.shell.pipe.Pipeline.Redirect;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The file behind a {@code >}: a new one for its owner alone, an old one with its owner and permissions. It is replaced
 * at the end by another that is whole, or written in place if it is appended to, the command has no end, it is no
 * ordinary file or has other names, or nothing can be made beside it.
 */
final class OutputFile implements LineSink, AutoCloseable {
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path named;
    private final FileChannel channel;
    private final Writer writer;
    private final Optional<Replacement> replacement;

    /** What takes a file's place once it is whole. */
    private record Replacement(Path unfinished, Path file) {}

    private OutputFile(Path named, FileChannel channel, Optional<Replacement> replacement) {
        this.named = named;
        this.channel = channel;
        this.writer = new BufferedWriter(Channels.newWriter(channel, StandardCharsets.UTF_8), 1 << 15);
        this.replacement = replacement;
    }

    /**
     * Opens it; with {@code atOnce} lines are in the file as they come. Throws {@link ShellException} if it cannot be
     * written.
     */
    static OutputFile open(Redirect redirect, boolean atOnce) {
        Path file = redirect.file();
        if (Files.isDirectory(file)) {
            throw AtomicOutputFile.directory(file);
        }
        if (Files.exists(file) && !Files.isWritable(file)) {
            throw AtomicOutputFile.denied(file);
        }
        try {
            if (!redirect.append() && !atOnce) {
                Optional<OutputFile> replacing = replacing(file);
                if (replacing.isPresent()) {
                    return replacing.get();
                }
            }
            Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
            if (redirect.append()) {
                options.add(StandardOpenOption.APPEND);
            } else if (Files.isRegularFile(file)) {
                options.add(StandardOpenOption.TRUNCATE_EXISTING);
            }
            return new OutputFile(file, FileChannel.open(file, options, OWNER_ONLY), Optional.empty());
        } catch (IOException e) {
            throw AtomicOutputFile.of(file, e);
        }
    }

    private static Optional<OutputFile> replacing(Path file) throws IOException {
        boolean there = Files.exists(file);
        if (there ? !Files.isRegularFile(file) || manyNames(file) : Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        Path target = there ? file.toRealPath() : file.toAbsolutePath();
        Path directory = Objects.requireNonNull(target.getParent(), "an absolute file has a directory");
        Path unfinished;
        try {
            unfinished = Files.createTempFile(directory, ".enipam-", ".unfinished", OWNER_ONLY);
        } catch (IOException e) {
            return Optional.empty(); // written in place, or refused there with the reason
        }
        unfinished.toFile().deleteOnExit();
        try {
            if (there) {
                resemble(target, unfinished);
            }
            return Optional.of(new OutputFile(
                    file,
                    FileChannel.open(unfinished, StandardOpenOption.WRITE),
                    Optional.of(new Replacement(unfinished, target))));
        } catch (IOException e) {
            Files.deleteIfExists(unfinished);
            return Optional.empty();
        }
    }

    private static boolean manyNames(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:nlink") > 1;
    }

    private static void resemble(Path original, Path copy) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(original, PosixFileAttributes.class);
        PosixFileAttributeView view = Files.getFileAttributeView(copy, PosixFileAttributeView.class);
        PosixFileAttributes own = view.readAttributes();
        if (!own.owner().equals(attributes.owner())) {
            view.setOwner(attributes.owner());
        }
        if (!own.group().equals(attributes.group())) {
            view.setGroup(attributes.group());
        }
        view.setPermissions(attributes.permissions());
    }

    @Override
    public boolean line(String line) {
        try {
            writer.write(line);
            writer.write('\n');
            return true;
        } catch (IOException e) {
            throw AtomicOutputFile.of(named, e);
        }
    }

    @Override
    public void flush() {
        try {
            writer.flush();
        } catch (IOException e) {
            throw AtomicOutputFile.of(named, e);
        }
    }

    /** Gives the file what was written. */
    @Override
    public void end() {
        try {
            writer.flush();
            if (replacement.isPresent()) {
                channel.force(true);
                Files.move(
                        replacement.get().unfinished(),
                        replacement.get().file(),
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw AtomicOutputFile.of(named, e);
        }
    }

    /** Lets go of the file; what has not ended takes no file's place. */
    @Override
    public void close() {
        try (channel) {
            if (replacement.isEmpty()) {
                writer.flush();
            }
        } catch (IOException e) {
            return; // told by the write or the flush before, or it follows a failure that is told
        } finally {
            replacement.ifPresent(OutputFile::remove);
        }
    }

    private static void remove(Replacement replacement) {
        try {
            Files.deleteIfExists(replacement.unfinished());
        } catch (IOException e) {
            return; // tried again when the program ends
        }
    }
}

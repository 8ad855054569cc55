package io.enipam.shell.pipe;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.AtomicOutputFile;
import io.enipam.shell.pipe.Filter.FilterStage;
import io.enipam.shell.pipe.Filter.LineSink;
import io.enipam.shell.pipe.Pipeline.Redirect;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
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
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline at work: what is written to {@link #input} goes through its filters. When a filter wants no more, or
 * fails, the rest is lost, the stream reports trouble, and a callback may end the command. For one thread.
 */
public final class PipelineExecution implements AutoCloseable {
    private final LineSink first;
    private final Optional<FilterStage> last;
    private final Optional<OutputFile> file;
    private final Optional<SystemShell> system;
    private final Runnable enough;
    private final Splitter splitter = new Splitter();
    private final PrintStream input = new PrintStream(splitter, false, UTF_8);
    private boolean open = true;
    private @Nullable ShellException failure;

    /**
     * Opens the file or starts the system's shell, if any, else writes to {@code out}; calls {@code enough} once no more is wanted.
     */
    PipelineExecution(Pipeline pipeline, Output output, boolean atOnce, Runnable enough) {
        this.enough = enough;
        this.file = pipeline.redirect().map(redirect -> OutputFile.open(redirect, atOnce));
        this.system = pipeline.system().map(line -> SystemShell.reading(line, output.out(), output.terminal()));
        LineSink next = file.isPresent() ? file.get() : system.isPresent() ? system.get() : new Printed(output.out());
        Optional<FilterStage> ending = Optional.empty();
        List<Filter> filters = pipeline.filters();
        for (int i = filters.size() - 1; i >= 0; i--) {
            FilterStage stage = filters.get(i).open(next);
            ending = ending.isPresent() ? ending : Optional.of(stage);
            next = stage;
        }
        this.first = next;
        this.last = ending;
    }

    /** The same for output that no terminal shows. */
    public PipelineExecution(Pipeline pipeline, PrintStream out, boolean atOnce, Runnable enough) {
        this(pipeline, new Output(out, false), atOnce, enough);
    }

    public PrintStream input() {
        return input;
    }

    /** Whether a filter or the file wanted no more before the command had ended. */
    public boolean cut() {
        return !open;
    }

    /**
     * Ends it after the command; whether the last filter found what it was to find. Unless the command is
     * {@code complete}, no file is replaced and no filter complains. Throws {@link ShellException} if a filter or the file failed.
     */
    public boolean end(boolean complete) {
        input.flush();
        if (failure == null && (complete || file.isEmpty())) {
            try {
                splitter.end();
                first.end();
                first.flush();
            } catch (ShellException e) {
                failure = e;
            }
        }
        if (complete && failure != null) {
            throw failure;
        }
        boolean found = last.map(FilterStage::found).orElse(true);
        return system.map(SystemShell::succeeded).orElse(true) && found;
    }

    @Override
    public void close() {
        file.ifPresent(OutputFile::close);
        system.ifPresent(SystemShell::close);
    }

    private void take(String line) {
        try {
            if (!first.line(line)) {
                shut();
            }
        } catch (ShellException e) {
            failure = e;
            shut();
        }
    }

    private void shut() {
        open = false;
        enough.run();
    }

    /** Where lines end up, and whether that is a terminal. */
    record Output(PrintStream out, boolean terminal) {}

    private record Printed(PrintStream out) implements LineSink {
        @Override
        public boolean line(String line) {
            out.println(line);
            return !out.checkError();
        }

        @Override
        public void end() {
            out.flush();
        }

        @Override
        public void flush() {
            out.flush();
        }
    }

    private final class Splitter extends OutputStream {
        private final ByteArrayOutputStream line = new ByteArrayOutputStream(256);

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int start = offset;
            for (int i = offset; i < offset + length && open; i++) {
                if (bytes[i] == '\n') {
                    line.write(bytes, start, i - start);
                    start = i + 1;
                    takeLine();
                }
            }
            if (!open) {
                throw new IOException("no more is wanted");
            }
            line.write(bytes, start, offset + length - start);
        }

        @Override
        public void flush() {
            if (open) {
                try {
                    first.flush();
                } catch (ShellException e) {
                    failure = e;
                    shut();
                }
            }
        }

        void end() {
            if (open && line.size() > 0) {
                takeLine();
            }
        }

        private void takeLine() {
            String text = line.toString(UTF_8);
            line.reset();
            take(text);
        }
    }

    /**
     * The file behind a {@code >}: a new one for its owner alone, an old one with its owner and permissions. It is replaced
     * at the end by another that is whole, or written in place if it is appended to, the command has no end, it is no
     * ordinary file or has other names, or nothing can be made beside it.
     */
    static final class OutputFile implements LineSink, AutoCloseable {
        private static final FileAttribute<?> OWNER_ONLY =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

        private final Path named;
        private final FileChannel channel;
        private final Writer writer;
        private final Optional<Replacement> replacement;

        private record Replacement(Path unfinished, Path file) {}

        private OutputFile(Path named, FileChannel channel, Optional<Replacement> replacement) {
            this.named = named;
            this.channel = channel;
            this.writer = new BufferedWriter(Channels.newWriter(channel, UTF_8), 1 << 15);
            this.replacement = replacement;
        }

        /** Opens it; {@code atOnce} lines are in it as they come. Throws {@link ShellException} if it cannot be written. */
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
}

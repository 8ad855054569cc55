package io.enipam.shell.pipe;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.pipe.Filter.FilterStage;
import io.enipam.shell.pipe.Filter.LineSink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline at work: what is written to {@link #input} goes through its filters. When a filter wants no more, or
 * fails, the rest is lost, the stream reports trouble, and a callback may end the command. For one thread.
 */
public final class PipelineExecution implements AutoCloseable {
    private final LineSink first;
    private final Optional<FilterStage> last;
    private final Optional<OutputFile> file;
    private final Runnable enough;
    private final Splitter splitter = new Splitter();
    private final PrintStream input = new PrintStream(splitter, false, StandardCharsets.UTF_8);
    private boolean open = true;
    private @Nullable ShellException failure;

    /**
     * Opens the file, if there is one, else writes to {@code out}; with {@code atOnce} lines are in the file as they
     * come. {@code enough} is called once, when no more is wanted before the end.
     */
    public PipelineExecution(Pipeline pipeline, PrintStream out, boolean atOnce, Runnable enough) {
        this.enough = enough;
        this.file = pipeline.redirect().map(redirect -> OutputFile.open(redirect, atOnce));
        LineSink next = file.isPresent() ? file.get() : new Printed(out);
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

    /** Where the command writes. */
    public PrintStream input() {
        return input;
    }

    /** Whether a filter or the file wanted no more before the command had ended. */
    public boolean cut() {
        return !open;
    }

    /**
     * Ends it after the command; whether the last filter found what it was to find. Unless the command is {@code
     * complete}, no file is replaced and no filter complains. Throws {@link ShellException} if a filter or the file
     * failed.
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
        return last.map(FilterStage::found).orElse(true);
    }

    /** Lets go of the file. */
    @Override
    public void close() {
        file.ifPresent(OutputFile::close);
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

    /** The end of a pipeline without a file. */
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

    /** Makes lines of bytes. */
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

        /** Takes what is left without an end of line. */
        void end() {
            if (open && line.size() > 0) {
                takeLine();
            }
        }

        private void takeLine() {
            String text = line.toString(StandardCharsets.UTF_8);
            line.reset();
            take(text);
        }
    }
}

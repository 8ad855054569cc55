package io.enipam.sdk.ranges;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An flock(2) on a file, which programs in Go and the shell see: the locks of the JDK's channels are of another kind (fcntl).
 *
 * <p>A child process takes and releases it and lives from the first {@link #lock} to {@link #close}: {@code enipam-flock} of the
 * installation in the system property {@code enipam.home} ({@code enipam-flock.c} has the lines that it reads and writes), or, where
 * there is none, a shell that speaks the same and runs flock(1), which costs a process of a millisecond for each lock. The file is
 * opened anew each time: one that was replaced is not locked in the former one's place. The child ends with this process, however that
 * ends, and with it the lock.
 *
 * <p>Thread-safe: threads of this process get the lock one after the other, in the order in which they came. A thread hands the lock on
 * to the next one that waits, up to {@value #MOST_HANDS} times before other processes have their turn.
 */
public final class Flock implements AutoCloseable {
    private static final String HELD = "held";
    private static final String TAKEN = "taken";
    private static final String FAILED = "failed";
    private static final String FREE = "free";
    private static final String SHELL = String.join(
            "\n",
            "while read -r seconds; do",
            "  {",
            "    flock -x -w \"$seconds\" -E 75 9",
            "    case $? in 0) echo " + HELD + "; read -r go;; 75) echo " + TAKEN + ";; *) echo " + FAILED + ";; esac",
            "  } 9<\"$1\" || echo " + FAILED,
            "  echo " + FREE,
            "done");
    private static final long END_SECONDS = 5;
    private static final int MOST_HANDS = 16;
    private static final String PROGRAM = "enipam-flock";

    private final Path file;
    private final Optional<Path> program;
    /** How much later than it should the child may answer, in seconds. */
    private final long grace;

    private final Semaphore turn = new Semaphore(1, true);
    /** Whether the child has the lock although no thread has its turn: it is handed on. Read and written by the thread that has the turn. */
    private boolean handedOn;

    private int hands;
    private @Nullable Child child;

    /** @param file exists when it is locked */
    public Flock(Path file) {
        this(file, Optional.ofNullable(System.getProperty("enipam.home")).flatMap(home -> in(Path.of(home))));
    }

    /** @param program the file of {@code enipam-flock}; without it flock(1) is run */
    Flock(Path file, Optional<Path> program) {
        this(file, program, END_SECONDS);
    }

    Flock(Path file, Optional<Path> program, long grace) {
        this.file = file;
        this.program = program;
        this.grace = grace;
    }

    /** The program of an installation: the image's, or the one that the build made. */
    static Optional<Path> in(Path home) {
        return Stream.of("lib", "sdk/ranges/target/bin")
                .map(directory -> home.resolve(directory).resolve(PROGRAM))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** A lock that is held. */
    public interface Held extends AutoCloseable {
        /** Releases the lock; has no effect when called again. */
        @Override
        void close();
    }

    /**
     * Waits for the lock.
     *
     * @param patience to the second, at least one, for other threads and again for other processes
     * @throws IOException if the lock is not available within this time, or not at all
     */
    public Held lock(Duration patience) throws IOException {
        long seconds = Math.max(1, patience.toSeconds());
        boolean mine = false;
        try {
            mine = turn.tryAcquire(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            releaseUnclaimed();
            throw new IOException(file + " cannot be locked: interrupted", e);
        }
        if (!mine) {
            releaseUnclaimed();
            throw new IOException(file + " is locked by another thread for more than " + seconds + "s");
        }
        boolean held = false;
        try {
            Child holder = child;
            boolean has = handedOn && holder != null && holder.process().isAlive();
            handedOn = false;
            if (!has) {
                take(seconds);
            }
            held = true;
            return new Turn();
        } finally {
            if (!held) {
                turn.release();
            }
        }
    }

    private void take(long seconds) throws IOException {
        List<String> said = new ArrayList<>();
        boolean known = child != null;
        Child holder = child();
        String answer = holder.ask(seconds, grace, said);
        if (answer.equals(FAILED) && known) {
            // it was killed, or stopped, since it last answered
            end();
            said.clear();
            holder = child();
            answer = holder.ask(seconds, grace, said);
        }
        if (answer.equals(HELD)) {
            return;
        }
        if (answer.equals(TAKEN)) {
            holder.until(FREE, grace);
            throw new IOException(file + " is locked by another for more than " + seconds + "s; 'fuser -v " + file
                    + "' says by whom");
        }
        end();
        String why = said.isEmpty() ? "flock ended without a word" : String.join("; ", said);
        throw new IOException(file + " cannot be locked: " + why
                + (why.contains("not found") ? "; the program flock is in the package util-linux" : ""));
    }

    private Child child() throws IOException {
        Child known = child;
        if (known == null || !known.process().isAlive()) {
            end();
            known = start();
            child = known;
        }
        return known;
    }

    private final class Turn implements Held {
        private boolean released;

        @Override
        public synchronized void close() {
            if (released) {
                return;
            }
            released = true;
            handedOn = turn.hasQueuedThreads() && hands < MOST_HANDS;
            hands = handedOn ? hands + 1 : 0;
            try {
                if (!handedOn) {
                    free();
                }
            } finally {
                turn.release();
            }
            releaseUnclaimed();
        }
    }

    /** Releases the lock for other processes. */
    private void free() {
        try {
            Child holder = child;
            if (holder != null) {
                holder.say("");
                holder.until(FREE, grace);
            }
        } catch (IOException e) {
            // the child has ended, and the lock with it
            end();
        }
    }

    /** The thread that the lock was handed to may have stopped waiting: then no thread takes its turn, and this one releases the lock. */
    private void releaseUnclaimed() {
        if (!turn.hasQueuedThreads() && turn.tryAcquire()) {
            try {
                if (handedOn) {
                    handedOn = false;
                    free();
                }
            } finally {
                turn.release();
            }
        }
    }

    private Child start() throws IOException {
        if (program.isPresent()) {
            try {
                return Child.of(new ProcessBuilder(program.get().toString(), file.toString()));
            } catch (IOException e) {
                // it is of another machine, or gone with an update: flock(1) does the same
                return shell();
            }
        }
        return shell();
    }

    private Child shell() throws IOException {
        try {
            return Child.of(new ProcessBuilder("sh", "-c", SHELL, "sh", file.toString()));
        } catch (IOException e) {
            throw new IOException(file + " cannot be locked: " + e.getMessage(), e);
        }
    }

    private record Child(Process process, BufferedReader answers) {
        static Child of(ProcessBuilder builder) throws IOException {
            Process process = builder.redirectErrorStream(true).start();
            return new Child(
                    process,
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }

        /** Asks for the lock; what is no answer is an error's message. */
        String ask(long seconds, long grace, List<String> said) {
            CompletableFuture<Void> over = orKilled(seconds + grace);
            try {
                say(Long.toString(seconds));
                for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                    if (List.of(HELD, TAKEN, FAILED).contains(line)) {
                        return line;
                    }
                    said.add(line);
                }
            } catch (IOException e) {
                said.add(String.valueOf(e.getMessage()));
            } finally {
                over.complete(null);
            }
            return FAILED;
        }

        /** A child that was stopped would keep its caller for ever: it is killed, unless this is completed in time. */
        private CompletableFuture<Void> orKilled(long seconds) {
            CompletableFuture<Void> over = new CompletableFuture<>();
            over.orTimeout(seconds, TimeUnit.SECONDS).whenComplete((done, late) -> {
                if (late != null) {
                    process.destroyForcibly();
                }
            });
            return over;
        }

        void say(String line) throws IOException {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
        }

        void until(String answer, long seconds) throws IOException {
            CompletableFuture<Void> over = orKilled(seconds);
            try {
                for (String line = answers.readLine(); !answer.equals(line); line = answers.readLine()) {
                    if (line == null) {
                        throw new IOException("the process that holds the lock has ended");
                    }
                }
            } finally {
                over.complete(null);
            }
        }
    }

    private void end() {
        Child ended = child;
        child = null;
        if (ended == null) {
            return;
        }
        try {
            ended.process().getOutputStream().close();
        } catch (IOException e) {
            // it no longer reads: it has ended
        }
        boolean gone = false;
        try {
            gone = ended.process().waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!gone) {
            ended.process().destroyForcibly();
        }
    }

    /** Ends the child, after the thread that has the lock, if one has. */
    @Override
    public void close() {
        turn.acquireUninterruptibly();
        try {
            handedOn = false;
            end();
        } finally {
            turn.release();
        }
    }
}

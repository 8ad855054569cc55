package io.enipam.datapath.netlink;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.datapath.netlink.Frames.Answer;
import io.enipam.datapath.netlink.KernelChange.Outcome;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.DaemonThreads;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the process {@code enipam-netlink}, which makes changes of the kernel: one for each daemon, started at the first use and again
 * when it has ended, with growing pauses in which there is none. Blocks its callers; thread-safe.
 *
 * <p>A request that is under way when its process ends fails, since it is not known how far it came, and is not repeated: a link that it
 * has made would look like another program's. A request that is too slow ends the process, so that nothing of it is done later.
 */
public final class NetlinkHelper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NetlinkHelper.class);
    private static final String PROGRAM = "enipam-netlink";
    private static final Backoff PAUSES = Backoff.doubling(Duration.ofMillis(100), Duration.ofSeconds(30));
    private static final int LAST_WORDS = 500;

    private final Optional<Path> program;
    private final int seconds;
    private final Launcher launcher;
    private final AtomicLong starts = new AtomicLong();

    @GuardedBy("this")
    private Optional<Session> current = Optional.empty();

    @GuardedBy("this")
    private int failures;

    @GuardedBy("this")
    private long notBefore = System.nanoTime();

    @GuardedBy("this")
    private String trouble = "";

    @GuardedBy("this")
    private boolean closed;

    /**
     * Starts nothing yet.
     *
     * @param program the file of {@code enipam-netlink}; empty if there is to be none
     * @param seconds the deadline of a request
     */
    public NetlinkHelper(Optional<Path> program, int seconds) {
        this(program, seconds, ProcessBuilder::start);
    }

    /** The same with programs that the launcher starts. */
    public NetlinkHelper(Optional<Path> program, int seconds, Launcher launcher) {
        this.program = program;
        this.seconds = seconds;
        this.launcher = launcher;
    }

    /** The program of an installation, whose directory is {@code home}: the image's, or the one that the build made; empty for none. */
    public static Optional<Path> in(Path home) {
        return Stream.of("lib", "runtime/datapath/target/bin")
                .map(directory -> home.resolve(directory).resolve(PROGRAM))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Makes the changes in their order, all of them, whatever becomes of those before, and says what became of each. Empty if there is no
     * process for it now: then nothing was done. Throws HelperFailedException if it is not known what was done.
     *
     * @param netns path of a namespace; empty text for that of this process
     */
    public Optional<List<Outcome>> make(String netns, List<KernelChange> changes) {
        if (session().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(request(netns, changes));
    }

    /** Why there is no process now; empty if there is one, or will be at the first use. */
    public synchronized Optional<String> unusable() {
        if (program.filter(Files::isExecutable).isEmpty()) {
            return Optional.of(program.map(Path::toString).orElse(PROGRAM) + " is not there");
        }
        return trouble.isEmpty() ? Optional.empty() : Optional.of(trouble);
    }

    /** Starts the process if there is none; false if there still is none. */
    public boolean start() {
        return session().isPresent();
    }

    /** Starts programs. */
    public Launcher launcher() {
        return launcher;
    }

    /** How many processes it has started. */
    public long starts() {
        return starts.get();
    }

    /** The process that makes changes now; empty if there is none. */
    Optional<ProcessHandle> process() {
        return session().map(session -> session.process.toHandle());
    }

    private List<Outcome> request(String netns, List<KernelChange> changes) {
        List<Outcome> outcomes = new ArrayList<>(changes.size());
        for (int from = 0; from < changes.size(); from += Frames.MOST_CHANGES) {
            int to = Math.min(changes.size(), from + Frames.MOST_CHANGES);
            Session session = session().orElseThrow(() -> new HelperFailedException(PROGRAM + " cannot be started"));
            outcomes.addAll(session.request(netns, changes.subList(from, to)));
        }
        return outcomes;
    }

    private synchronized Optional<Session> session() {
        if (current.isPresent() || closed || System.nanoTime() - notBefore < 0) {
            return current;
        }
        if (program.filter(Files::isExecutable).isPresent()) {
            try {
                current = tried(new Session(program.get()));
            } catch (IOException e) {
                failed(PROGRAM + " cannot be started: " + e.getMessage());
            }
        }
        return current;
    }

    /** A process that answers a request for nothing; one that does not is given none whose outcome would be unknown. */
    private Optional<Session> tried(Session session) {
        starts.incrementAndGet();
        try {
            session.request("", List.of());
        } catch (HelperFailedException e) {
            session.close();
            failed(e.getMessage());
            return Optional.empty();
        }
        session.used = true;
        // if it has ended just now, the reader did not see that it was used
        return Optional.of(session).filter(one -> one.end.isEmpty());
    }

    private synchronized void failed(String why) {
        failures++;
        Duration pause = PAUSES.pause(failures);
        notBefore = System.nanoTime() + pause.toNanos();
        trouble = why;
        LOG.warn("{}; pods are connected by iproute2 for {} ms", why, pause.toMillis());
    }

    /** The first reason counts. */
    private synchronized void ended(Session session, String why) {
        if (current.equals(Optional.of(session))) {
            current = Optional.empty();
            failed(why);
        }
    }

    private synchronized void succeeded() {
        failures = 0;
        trouble = "";
    }

    /** Ends the process; what is under way fails. */
    @Override
    public void close() {
        Optional<Session> last;
        synchronized (this) {
            closed = true;
            last = current;
            current = Optional.empty();
        }
        last.ifPresent(Session::close);
    }

    /** One process, from its start to its end. */
    private final class Session {
        private final Process process;
        private final AtomicInteger ids = new AtomicInteger();
        private final Map<Integer, CompletableFuture<Answer>> pending = new ConcurrentHashMap<>();
        private volatile boolean used;
        private volatile String end = "";

        Session(Path file) throws IOException {
            ProcessBuilder builder = new ProcessBuilder(file.toString(), Frames.PROTOCOL);
            builder.environment().clear();
            process = launcher.start(builder);
            DaemonThreads.named(PROGRAM).newThread(this::read).start();
        }

        List<Outcome> request(String netns, List<KernelChange> changes) {
            int id = ids.incrementAndGet();
            byte[] frame = Frames.request(id, netns, changes);
            CompletableFuture<Answer> awaited = new CompletableFuture<>();
            pending.put(id, awaited);
            try {
                // also while it is written: a process that was stopped reads nothing
                awaited.orTimeout(seconds, TimeUnit.SECONDS).whenComplete((answer, late) -> {
                    if (late instanceof TimeoutException) {
                        process.destroyForcibly();
                    }
                });
                write(frame);
                if (!end.isEmpty()) {
                    awaited.completeExceptionally(new HelperFailedException(end));
                }
                return outcomes(netns, changes.size(), awaited.get());
            } catch (ExecutionException e) {
                if (e.getCause() instanceof HelperFailedException failed) {
                    throw failed;
                }
                String why = PROGRAM + " had not answered after " + seconds + " seconds and was killed";
                // one that hangs in the kernel does not end at once, and is given nothing more
                ended(this, why);
                throw new HelperFailedException(why);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new HelperFailedException("was interrupted");
            } finally {
                pending.remove(id);
            }
        }

        private void write(byte[] frame) {
            synchronized (process) {
                try {
                    process.getOutputStream().write(frame);
                    process.getOutputStream().flush();
                } catch (IOException e) {
                    // it has ended: the reader finds out how, and ends all that wait
                    LOG.debug("a request could not be written: {}", e.toString());
                }
            }
        }

        private List<Outcome> outcomes(String netns, int changes, Answer answer) {
            if (changes > 0) {
                succeeded();
            }
            if (answer.entered().errno() != 0) {
                throw new HelperFailedException("the network namespace " + netns + " cannot be entered: "
                        + answer.entered().text());
            }
            if (answer.outcomes().size() != changes) {
                throw new HelperFailedException(
                        PROGRAM + " answered " + answer.outcomes().size() + " of " + changes + " changes");
            }
            return answer.outcomes();
        }

        private void read() {
            String why = "";
            try (DataInputStream in = new DataInputStream(new BufferedInputStream(process.getInputStream()))) {
                for (Optional<Answer> answer = Answer.read(in); answer.isPresent(); answer = Answer.read(in)) {
                    CompletableFuture<Answer> awaited = pending.get(answer.get().id());
                    if (awaited != null) {
                        awaited.complete(answer.get());
                    }
                }
            } catch (IOException e) {
                // what it answered was no answer; the stream of one that is killed is closed
                why = process.isAlive() ? " (" + e.getMessage() + ")" : "";
            }
            end = PROGRAM + " ended with " + lastWords() + why;
            if (used) {
                // before those that wait go on: their next request is for another process
                ended(this, end);
            }
            pending.values().forEach(one -> one.completeExceptionally(new HelperFailedException(end)));
        }

        private String lastWords() {
            try {
                if (!process.waitFor(1, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
                byte[] said = process.getErrorStream().readNBytes(LAST_WORDS);
                String text = new String(said, StandardCharsets.UTF_8).strip();
                return "status " + process.exitValue() + (text.isEmpty() ? "" : ": " + text);
            } catch (IOException e) {
                return "status " + process.exitValue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return "no status yet";
            }
        }

        void close() {
            try {
                process.getOutputStream().close();
                if (process.waitFor(1, TimeUnit.SECONDS)) {
                    return;
                }
            } catch (IOException e) {
                LOG.debug("{} has ended already: {}", PROGRAM, e.toString());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            process.destroyForcibly();
        }
    }

    /** It is not known what was done of a request, or nothing was. */
    public static final class HelperFailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        HelperFailedException(String why) {
            super(why);
        }
    }
}

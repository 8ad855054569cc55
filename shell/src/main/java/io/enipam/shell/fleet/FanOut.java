package io.enipam.shell.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.TableListing.TableBuffer;
import io.enipam.shell.fleet.NodeReplyWriter.NodeReply;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Gives a line to many daemons, a few at a time. Answers go through a queue as long as there are workers, so that a slow
 * reader stops them; the calling thread writes.
 */
public final class FanOut {
    /** How many nodes at once, and how long one may take with all of the line. */
    public record Pace(int parallel, Duration perNode) {}

    private final FleetCommandLine line;
    private final Session nowhere;
    private final Pace pace;
    private final Function<String, NodeRoute> nodes;
    private final Interrupts interrupts = new Interrupts();

    /** @param nodes a way to a node's daemon, closed after use, by many threads; {@code nowhere} says the format */
    public FanOut(FleetCommandLine line, Session nowhere, Pace pace, Function<String, NodeRoute> nodes) {
        this.line = line;
        this.nowhere = nowhere;
        this.pace = pace;
        this.nodes = nodes;
    }

    /** Asks all nodes and writes what they answer; the exit status is the worst of all nodes. */
    public int run(List<String> names, NodeReplyWriter answers) {
        AtomicInteger status = new AtomicInteger();
        interrupts.untilEnded(() -> status.set(guarded(names, answers)));
        return status.get();
    }

    private int guarded(List<String> names, NodeReplyWriter answers) {
        try {
            return interrupts.guard(() -> asked(names, answers));
        } catch (Exception e) {
            throw ShellException.of(e);
        }
    }

    private int asked(List<String> names, NodeReplyWriter answers) throws InterruptedException {
        Context all = Context.current();
        Queue<String> next = new ConcurrentLinkedQueue<>(names);
        int workers = Math.min(pace.parallel(), names.size());
        BlockingQueue<NodeReply> done = new ArrayBlockingQueue<>(Math.max(1, workers));
        ScheduledExecutorService alarms =
                Executors.newSingleThreadScheduledExecutor(Interrupts.daemonThreads("enipam-alarm"));
        ThreadFactory threads = Interrupts.daemonThreads("enipam-fleet");
        try {
            for (int i = 0; i < workers; i++) {
                threads.newThread(() -> work(all, next, done, alarms)).start();
            }
            for (int had = 0; had < names.size() && !all.isCancelled(); ) {
                NodeReply answer = done.poll(100, TimeUnit.MILLISECONDS);
                if (answer != null) {
                    had++;
                    answers.add(answer);
                }
            }
            return answers.end(all.isCancelled());
        } finally {
            alarms.shutdownNow();
        }
    }

    private void work(Context all, Queue<String> next, BlockingQueue<NodeReply> done, ScheduledExecutorService alarms) {
        try {
            for (String node = next.poll(); node != null && !all.isCancelled(); node = next.poll()) {
                NodeReply answer = one(all, node, alarms);
                // a node that was cut off by Ctrl-C did not fail
                if (answer.done() || !all.isCancelled()) {
                    done.put(answer);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private NodeReply one(Context all, String node, ScheduledExecutorService alarms) {
        CancellableContext context = all.withDeadlineAfter(pace.perNode().toNanos(), TimeUnit.NANOSECONDS, alarms);
        try {
            NodeReply answer = context.call(() -> ask(node));
            boolean late = context.isCancelled() && !all.isCancelled();
            return late && !answer.done() ? tooLate(node) : answer;
        } catch (Exception e) {
            return NodeReply.none(node, ShellException.of(e));
        } finally {
            context.cancel(null);
        }
    }

    private NodeReply tooLate(String node) {
        String why = "it did not answer within " + pace.perNode().toMillis() / 1000.0 + " s";
        String hint = "Look at it alone with --node, or give it longer with --node-timeout";
        return NodeReply.none(node, new ShellException(ExitStatus.NOT_ATTACHED, "TIMEOUT", why, hint));
    }

    private NodeReply ask(String node) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        SessionOutput screen = new SessionOutput(
                new PrintStream(out, true, UTF_8),
                new PrintStream(err, true, UTF_8),
                Palette.PLAIN,
                Palette.PLAIN,
                false);
        TableBuffer sheet = new TableBuffer();
        AtomicReference<Failure> failure = new AtomicReference<>(new Failure("", Optional.empty()));
        OutputFormat its = nowhere.format() == OutputFormat.YAML ? OutputFormat.JSON : nowhere.format();
        int status;
        try (NodeRoute way = nodes.apply(node);
                Session session = nowhere.elsewhere(screen, its, () -> DaemonConnection.open(way))) {
            if (!line.questions().isEmpty()) {
                session.asker(question -> true); // the person was asked before, for all of them
            }
            session.tableBuffer(sheet);
            status = line.run(session, node, (what, e) -> failure.set(new Failure(what, Optional.of(e))));
        }
        return new NodeReply(
                node,
                status,
                sheet.blocks(),
                out.toString(UTF_8),
                err.toString(UTF_8),
                failure.get().what(),
                failure.get().why());
    }

    private record Failure(String what, Optional<ShellException> why) {}
}

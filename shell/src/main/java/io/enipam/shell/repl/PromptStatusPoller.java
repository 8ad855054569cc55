package io.enipam.shell.repl;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.status.NodeCommands;
import io.enipam.shell.status.TroubleViews;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.PoolCounts;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Polls the daemon, so that the prompt need not wait: every two seconds, after each command, and with longer pauses
 * while it is away. {@link #state} is for any thread; the watch's thread calls the consumers.
 */
final class PromptStatusPoller implements AutoCloseable {
    private static final Duration UNNOTICED = Duration.ofMillis(50);
    private static final Duration CALM = Duration.ofSeconds(2);
    private static final Duration FIRST_TRY = Duration.ofMillis(250);
    private static final Duration LAST_TRY = Duration.ofSeconds(5);

    private final Supplier<PromptStatus> ask;
    private final Consumer<PromptStatus> seen;
    private final Consumer<String> news;
    private final ScheduledExecutorService thread;
    private volatile PromptStatus state;
    private Duration pause = CALM;
    private volatile long gone;
    private long turn;

    /** @param ask throws {@link ShellException} without a daemon; {@code news} gets lines on its coming and going */
    PromptStatusPoller(
            PromptStatus first, Supplier<PromptStatus> ask, Consumer<PromptStatus> seen, Consumer<String> news) {
        this.state = first;
        this.ask = ask;
        this.seen = seen;
        this.news = news;
        this.thread = Executors.newSingleThreadScheduledExecutor(Interrupts.daemonThreads("enipam-watch"));
        this.thread.execute(this::next);
    }

    PromptStatus state() {
        return state;
    }

    /** Asks at once, and waits for a daemon that is here as long as no operator notices, to show what a command did. */
    void now() {
        boolean here = state.here();
        Future<?> look = thread.submit(this::look);
        if (here) {
            try {
                look.get(UNNOTICED.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException | ExecutionException later) {
                return; // the prompt is redrawn when it is known
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** For how long a daemon that is not here has not been. */
    Duration away() {
        return Duration.ofNanos(System.nanoTime() - gone);
    }

    private void next() {
        long mine = ++turn;
        Runnable due = () -> {
            if (mine == turn) { // else there was a look in the meantime, and the next look counts from that
                look();
            }
        };
        thread.schedule(due, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void look() {
        try {
            looked();
        } finally {
            next(); // whatever went wrong: a watch that has stopped would say "away" for ever
        }
    }

    private void looked() {
        PromptStatus before = state;
        PromptStatus now = asked(before);
        if (now.here()) {
            pause = CALM;
            back(before, now);
        } else if (before.here()) {
            gone = System.nanoTime();
            pause = FIRST_TRY;
            news.accept(
                    now.state().equals(PromptStatus.AWAY)
                            ? "the daemon went away; this shell goes on trying and says when it is back"
                            : "the daemon does not answer; this shell goes on asking and says when it does");
        } else {
            pause = pause.multipliedBy(2).compareTo(LAST_TRY) > 0 ? LAST_TRY : pause.multipliedBy(2);
        }
        state = now;
        seen.accept(now);
    }

    private void back(PromptStatus before, PromptStatus now) {
        String state = now.state() + (before.other(now) ? ", process " + now.pid() : "");
        if (!before.here()) {
            news.accept("the daemon is back after " + TimeFormat.span(away()) + ": " + state);
        } else if (before.other(now)) {
            news.accept("the daemon was restarted: " + state);
        }
    }

    private PromptStatus asked(PromptStatus before) {
        try {
            return ask.get();
        } catch (ShellException e) {
            return before.without(e.exit() == ExitStatus.NOT_ATTACHED ? PromptStatus.AWAY : PromptStatus.SILENT);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    /**
     * What the prompt shows: node or "sandbox"; phase, "away" or "silent"; what is critical, or empty text; addresses or role; process
     * and its age in ms.
     */
    record PromptStatus(String name, String state, String alarm, String figures, long pid, long age) {
        static final String AWAY = "away";
        static final String SILENT = "silent";

        static PromptStatus of(GetStatusReply status) {
            return new PromptStatus(
                    Palette.clean(status.getSandbox() ? "sandbox" : status.getNode()),
                    phase(Palette.clean(status.getPhase())),
                    TroubleViews.alarm(status),
                    NodeCommands.isOfNode(status) ? addresses(status.getPool().getCounts()) : NodeCommands.role(status),
                    status.getPid(),
                    Durations.toMillis(status.getUptime()));
        }

        private static String addresses(PoolCounts counts) {
            return counts.getIdle() + " idle " + counts.getInUse() + " used";
        }

        /** The two steps before READY are shown as one. */
        private static String phase(String phase) {
            return phase.equals("NEW") || phase.equals("RECOVERING") ? "STARTING" : phase;
        }

        /** The same daemon, not to be had. */
        PromptStatus without(String why) {
            return new PromptStatus(name, why, "", figures, pid, age);
        }

        /** Whether the other one is a daemon that was started since: in a container it may have the same process id. */
        boolean other(PromptStatus now) {
            return pid != now.pid || now.age < age;
        }

        boolean here() {
            return !state.equals(AWAY) && !state.equals(SILENT);
        }

        /**
         * {@code enipam(sandbox READY 2 idle 3 used)> }, {@code enipam(sandbox READY cluster leads)> }, or, the middle in red,
         * {@code enipam(sandbox READY 9 lost 2 idle 3 used)> }; no figures of a daemon that does not answer. Behind it the exit status of the last line if that is not 0: {@code , exit 1)> }.
         */
        String prompt(Palette palette, int exit) {
            boolean bad = !here() || !alarm.isEmpty();
            Tone tone = bad ? Tone.BAD : state.equals("STARTING") ? Tone.WAIT : Tone.ofState(state);
            String shown = here() ? " " + figures : "";
            String failed = exit == 0 ? "" : ", " + palette.paint(Tone.BAD, "exit " + exit);
            return "enipam(" + name + " " + palette.paint(tone, alarm.isEmpty() ? state : state + " " + alarm) + shown
                    + failed + ")> ";
        }
    }
}

package io.enipam.daemon.plugin.guard;

import io.enipam.daemon.platform.EngineThread;
import io.enipam.daemon.platform.StuckThreads;
import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.PoolPolicy;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A plugin's policy as the engine asks it.
 *
 * <p>A call runs on the asking thread if that is one the engine can do without, else on one of the plugin's: no hand-over, so a
 * call costs little more than the policy itself. If the policy is late, the watchdog answers in its place, and the engine goes
 * on elsewhere; the thread is lost until the policy returns, and then ends what it did without a word.
 *
 * <p>While a call is overdue, or the breaker is open, the engine is told to go by its own rules. Thread-safe.
 */
final class GuardedPolicy implements PolicyPort {
    private final PoolPolicy policy;
    private final String name;
    private final PartGuard part;
    private final PluginGuard guard;
    private final Tally tally;
    private final Watchdog watchdog;
    private final PluginThreads threads;
    private final StuckThreads stuck;
    private final TimeSource time;
    private final Scheduler scheduler;
    private final long allowed;

    GuardedPolicy(
            PoolPolicy policy,
            String name,
            PartGuard part,
            PluginGuard guard,
            Watchdog watchdog,
            PluginThreads threads,
            StuckThreads stuck,
            TimeSource time,
            Scheduler scheduler) {
        this.policy = policy;
        this.name = name;
        this.part = part;
        this.guard = guard;
        this.tally = guard.tally();
        this.watchdog = watchdog;
        this.threads = threads;
        this.stuck = stuck;
        this.time = time;
        this.scheduler = scheduler;
        this.allowed = guard.limits().policyCall().toNanos();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean watermarks() {
        return part.down();
    }

    @Override
    public <T> void ask(String question, Function<PoolPolicy, T> call, Predicate<T> valid, Consumer<Optional<T>> then) {
        if (part.down()) {
            tally.skipped.increment();
            then.accept(Optional.empty());
            return;
        }
        Thread thread = Thread.currentThread();
        if (thread instanceof EngineThread || guard.owns(thread)) {
            askHere(question, call, valid, then);
            return;
        }
        try {
            // the engine goes on where it belongs, not on the plugin's thread
            threads.execute(
                    () -> askHere(question, call, valid, answer -> scheduler.execute(() -> then.accept(answer))));
        } catch (RejectedExecutionException e) {
            tally.skipped.increment();
            then.accept(Optional.empty());
        }
    }

    private <T> void askHere(
            String question, Function<PoolPolicy, T> call, Predicate<T> valid, Consumer<Optional<T>> then) {
        Thread self = Thread.currentThread();
        WatchedCall watched = new WatchedCall(question, time.nanoTime(), allowed, () -> late(question, self, then));
        int place = watchdog.enter(watched);
        // in this order: a try that the breaker grants has to be made
        if (place < 0 || !part.admits()) {
            boolean inTime = place < 0 || watched.answered();
            if (place >= 0) {
                watchdog.leave(place);
            }
            tally.skipped.increment();
            if (inTime) {
                then.accept(Optional.empty());
            } else {
                back(self);
            }
            return;
        }
        tally.made.increment();
        ClassLoader before = self.getContextClassLoader();
        self.setContextClassLoader(guard.loader());
        T answer = null;
        Throwable thrown = null;
        boolean good = false;
        try {
            answer = call.apply(policy);
            good = answer != null && valid.test(answer);
        } catch (Throwable e) {
            // whatever a plugin throws is the plugin's trouble, an OutOfMemoryError included
            thrown = e;
        }
        boolean inTime = watched.answered();
        watchdog.leave(place);
        self.setContextClassLoader(before);
        if (!inTime) {
            back(self);
            return;
        }
        if (good) {
            part.succeeded();
            then.accept(Optional.of(answer));
            return;
        }
        if (thrown == null) {
            tally.rejected.increment();
            part.failed(
                    "'" + question + "' was answered with " + Words.of(answer) + ", which is outside what is allowed");
        } else {
            tally.failed.increment();
            part.failed("'" + question + "' threw " + Words.of(thrown));
        }
        then.accept(Optional.empty());
    }

    private void back(Thread thread) {
        tally.overdue.decrementAndGet();
        stuck.returned(thread);
        part.cameBack();
    }

    /** On the watchdog's thread: the engine goes on elsewhere, without an answer. */
    private <T> void late(String question, Thread thread, Consumer<Optional<T>> then) {
        tally.late.increment();
        tally.overdue.incrementAndGet();
        stuck.stuck(thread);
        part.late(question, thread);
        scheduler.execute(() -> then.accept(Optional.empty()));
    }
}

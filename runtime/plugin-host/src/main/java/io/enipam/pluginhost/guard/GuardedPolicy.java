package io.enipam.pluginhost.guard;

import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.platform.EngineThread;
import io.enipam.platform.EngineThread.StuckThreadListener;
import io.enipam.pluginhost.guard.InFlightCall.PolicyCall;
import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import io.enipam.pluginhost.guard.PluginCallCounts.PluginCallCounters;
import io.enipam.pluginhost.guard.PluginFailures.CallFailure;
import io.enipam.pluginhost.guard.PluginGuard.GuardContext;
import io.enipam.pluginhost.guard.PluginHealthTracker.GuardedPart;
import io.enipam.pluginhost.guard.PluginThreads.PluginThread;
import io.enipam.sdk.PoolPolicy;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wraps a plugin's policy with deadlines, a bulkhead and a circuit breaker. Costs a few hundred nanoseconds a call.
 *
 * <p><b>Where the policy runs.</b> On the asking thread if that is an {@link EngineThread}: the engine can lose one of
 * those. On any other thread's behalf the policy runs on a thread of the plugin's, while the asker waits, and no longer
 * than the deadline. A question asked from inside the policy is not put to it: it would come round again.
 *
 * <p><b>Who answers.</b> Each call is an {@link InFlightCall}, which decides between the returning thread and a claimer.
 * The claimer of a call on an engine thread is the watchdog, which hands the empty answer to another of the engine's
 * threads; the claimer of a call that was handed over is the asker. So {@code then} is called once, by the winner. A
 * thread that lost its call leaves without a word: what it would have gone on with, another thread has gone on with.
 *
 * <p><b>The watchdog.</b> One timer for all calls, not one per call. It sweeps the places, and comes back when the oldest
 * call there will be due, but after half a deadline at the latest: a call that begins behind its back has then at least
 * the other half left, so none is claimed later than its deadline. After a second without a call it is put away. Its
 * handshake with a beginning call: the call takes its place and then reads {@code watched}; the sweep that puts the timer
 * away clears {@code watched} and then reads the places once more. One of them sees the other.
 *
 * <p><b>Losses.</b> While a call is overdue no other is let in: a policy that loops for ever costs the threads that were
 * inside when it began, and each of those is replaced.
 */
final class GuardedPolicy implements PolicyPort, GuardedPart {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedPolicy.class);
    private static final long KEEP_WATCHING = TimeUnit.SECONDS.toNanos(1);
    private static final long KEEP_THREADS_SECONDS = 10;

    private final PoolPolicy policy;
    private final String name;
    private final ClassLoader loader;
    private final long deadline;
    private final TimeSource time;
    private final Scheduler engine;
    private final StuckThreadListener stuck;
    private final Watchdog watchdog;
    private final PluginCallCounters tally;
    private final PluginHealthTracker health;
    private final Breaker breaker;
    private final BulkheadSlots places;
    private final ThreadPoolExecutor threads;
    private final AtomicInteger overdue = new AtomicInteger();
    private final AtomicBoolean watched = new AtomicBoolean();
    private volatile boolean closed;

    /** The watchdog's alone. */
    private long callsSeen;

    private long callsSeenAt;

    GuardedPolicy(PoolPolicy policy, String name, GuardContext context, StuckThreadListener stuck) {
        GuardLimits limits = context.limits();
        this.policy = policy;
        this.name = name;
        this.loader = context.threads().loader();
        this.deadline = limits.policyDeadline().toNanos();
        this.time = context.time();
        this.engine = context.engine();
        this.stuck = stuck;
        this.watchdog = context.watchdog();
        this.tally = context.tally();
        this.health = context.health();
        this.breaker = new Breaker(limits.breaker(), health::update);
        this.places = new BulkheadSlots(limits.concurrent());
        // the permits bound it: a question without one is not handed over
        this.threads = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                KEEP_THREADS_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                context.threads());
        health.add(this);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean watermarks() {
        return shut() || breaker.open();
    }

    @Override
    public <T> void ask(String question, Function<PoolPolicy, T> call, Predicate<T> valid, Consumer<Optional<T>> then) {
        Thread here = Thread.currentThread();
        if (shut()) {
            skip(then);
        } else if (here instanceof EngineThread mine) {
            askHere(mine, question, call, valid, then);
        } else if (here instanceof PluginThread) {
            skip(then);
        } else {
            askThere(here, question, call, valid, then);
        }
    }

    private <T> void askHere(
            EngineThread here,
            String question,
            Function<PoolPolicy, T> call,
            Predicate<T> valid,
            Consumer<Optional<T>> then) {
        PolicyCall<T> mine = new PolicyCall<>(question, time.nanoTime(), here, null, then);
        ValidatedAnswer<T> verdict = new ValidatedAnswer<>();
        if (!here.lend()) {
            skip(then);
            return;
        }
        // read before the call can be claimed: a claimer's interrupt is not the thread's own
        boolean interrupted = Thread.interrupted();
        int place = admit(mine, here);
        if (place == BulkheadSlots.NONE) {
            if (interrupted) {
                here.interrupt();
            }
            here.takeBack();
            skip(then);
            return;
        }
        ClassLoader before = here.getContextClassLoader();
        here.setContextClassLoader(loader);
        verdict.reach(policy, question, call, valid);
        here.setContextClassLoader(before);
        boolean inTime = mine.finish();
        if (inTime) {
            Thread.interrupted();
            places.free(place);
            record(verdict);
        } else {
            mine.leave();
            back(mine, place, verdict);
            stuck.returned(here);
        }
        if (interrupted) {
            here.interrupt();
        }
        here.takeBack();
        if (inTime) {
            then.accept(verdict.answer);
        }
    }

    private <T> void askThere(
            Thread here,
            String question,
            Function<PoolPolicy, T> call,
            Predicate<T> valid,
            Consumer<Optional<T>> then) {
        PolicyCall<T> mine = new PolicyCall<>(question, time.nanoTime(), null, here, then);
        int place = admit(mine, here);
        if (place == BulkheadSlots.NONE) {
            skip(then);
            return;
        }
        try {
            threads.execute(() -> answerThere(mine, place, call, valid));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            mine.finish();
            places.free(place);
            breaker.recordFailure("no thread for it: " + e.getMessage());
            skip(then);
            return;
        }
        await(mine);
        if (mine.claim()) {
            claimed(mine);
            watchdog.settle(mine);
            mine.tellNothing();
        } else {
            mine.tell(mine.answer());
        }
    }

    /** Until the call is done or due; an interrupt of the asker's is kept for later. */
    private void await(PolicyCall<?> mine) {
        boolean interrupted = false;
        long left = deadline;
        while (mine.running() && left > 0) {
            LockSupport.parkNanos(mine, left);
            interrupted |= Thread.interrupted();
            left = mine.began() + deadline - time.nanoTime();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private <T> void answerThere(PolicyCall<T> mine, int place, Function<PoolPolicy, T> call, Predicate<T> valid) {
        ValidatedAnswer<T> verdict = new ValidatedAnswer<>();
        if (mine.begin()) {
            verdict.reach(policy, mine.what(), call, valid);
        }
        mine.answer(verdict.answer);
        if (mine.finish()) {
            places.free(place);
            record(verdict);
            LockSupport.unpark(mine.waiter());
        } else {
            mine.leave();
            back(mine, place, verdict);
        }
        PluginThread.clean();
    }

    /** Lets a call in, or not: it can be claimed only once it is in, since only then its thread answers for it. */
    private int admit(PolicyCall<?> call, Thread thread) {
        int place = places.reserve(thread);
        if (place == BulkheadSlots.NONE) {
            return place;
        }
        if (!breaker.admits()) {
            places.free(place);
            return BulkheadSlots.NONE;
        }
        places.put(place, call);
        tally.made.increment();
        if (!watched.get() && watched.compareAndSet(false, true)) {
            callsSeenAt = call.began();
            watchdog.after(deadline / 2, this::sweep);
        }
        return place;
    }

    private <T> void skip(Consumer<Optional<T>> then) {
        tally.skipped.increment();
        then.accept(Optional.empty());
    }

    private void record(ValidatedAnswer<?> verdict) {
        CallFailure trouble = verdict.trouble;
        if (trouble == null) {
            breaker.recordSuccess();
        } else {
            tally.count("policy " + name, trouble);
            breaker.recordFailure(trouble.text());
        }
    }

    /** An overdue call's thread is back, too late. The breaker has counted the call already. */
    private void back(PolicyCall<?> call, int place, ValidatedAnswer<?> verdict) {
        if (verdict.trouble != null) {
            tally.count("policy " + name, verdict.trouble);
        }
        places.free(place);
        overdue.decrementAndGet();
        health.update();
        LOG.debug("{} of policy {} is back after {}", call.what(), name, call.age(time.nanoTime()));
    }

    private void claimed(PolicyCall<?> call) {
        overdue.incrementAndGet();
        String late = call.what() + " did not answer within " + TimeUnit.NANOSECONDS.toMillis(deadline) + " ms";
        tally.late("policy " + name, late);
        breaker.recordFailure(late);
        health.update();
    }

    private void sweep() {
        long now = time.nanoTime();
        long next = deadline / 2;
        try {
            next = Math.min(next, claimOverdue(now));
        } finally {
            watchOn(now, next);
        }
    }

    /** How long until the next call in sight is due. */
    private long claimOverdue(long now) {
        long[] next = {deadline};
        places.calls().filter(call -> call.waiter() == null && call.running()).forEach(call -> {
            long left = call.began() + deadline - now;
            if (left > 0) {
                next[0] = Math.min(next[0], left);
            } else if (call.claim()) {
                answerFor(call);
            }
        });
        return next[0];
    }

    private void watchOn(long now, long next) {
        if (quietSince(now) < KEEP_WATCHING) {
            watchdog.after(next, this::sweep);
        } else {
            watched.set(false);
            if (anyInside() && watched.compareAndSet(false, true)) {
                watchdog.after(next, this::sweep);
            }
        }
    }

    private void answerFor(PolicyCall<?> call) {
        try {
            stuck.stuck(Objects.requireNonNull(call.thread()));
            claimed(call);
        } finally {
            engine.execute(call::tellNothing);
            watchdog.settle(call);
        }
    }

    private long quietSince(long now) {
        long calls = tally.made.sum();
        if (calls != callsSeen) {
            callsSeen = calls;
            callsSeenAt = now;
        }
        return now - callsSeenAt;
    }

    private boolean anyInside() {
        return places.calls().anyMatch(InFlightCall::running);
    }

    private boolean shut() {
        return closed || overdue.get() > 0;
    }

    @Override
    public Optional<String> trouble() {
        return places.calls()
                .filter(InFlightCall::claimed)
                .map(call -> call.what() + " has not answered for " + call.age(time.nanoTime()))
                .findFirst()
                .or(() -> closed ? Optional.empty() : breaker.trouble())
                .map(why -> "policy " + name + ": " + why);
    }

    @Override
    public int overdue() {
        return overdue.get();
    }

    @Override
    public BreakerState breaker() {
        return closed ? BreakerState.CLOSED : breaker.state();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public boolean isRetired() {
        return closed && overdue.get() == 0;
    }

    /** Asks nothing more. Calls inside end as ever. */
    void close() {
        closed = true;
        threads.shutdown();
        health.update();
    }

    /** What became of a call. Reached where the plugin's code may run, for even to print an exception is to run it. */
    private static final class ValidatedAnswer<T> {
        private Optional<T> answer = Optional.empty();
        private @Nullable CallFailure trouble;

        void reach(PoolPolicy policy, String question, Function<PoolPolicy, T> call, Predicate<T> valid) {
            try {
                T given = call.apply(policy);
                if (given == null) {
                    trouble = CallFailure.rejected(question + " answered null");
                } else if (allowed(given, valid)) {
                    answer = Optional.of(given);
                } else {
                    trouble = CallFailure.rejected(
                            PluginText.line(question + " answered " + given + ", which is outside what is allowed"));
                }
            } catch (Throwable e) {
                // a plugin can throw whatever it likes: its OutOfMemoryError is no reason to end the daemon
                trouble = CallFailure.threw(question, e);
            }
        }

        /** An answer on which the check itself throws is invalid. */
        private static <T> boolean allowed(T given, Predicate<T> valid) {
            try {
                return valid.test(given);
            } catch (Throwable e) {
                return false;
            }
        }
    }

    /**
     * A policy's bulkhead, and at once the register its watchdog reads: as many places as calls may be inside. A call that is
     * overdue keeps its place until it returns. Thread-safe, without locks.
     */
    private static final class BulkheadSlots {
        static final int NONE = -1;

        private static final PolicyCall<?> RESERVED = new PolicyCall<>("reserved", 0, null, null, outcome -> {});

        private final AtomicReferenceArray<@Nullable PolicyCall<?>> places;

        BulkheadSlots(int count) {
            places = new AtomicReferenceArray<>(count);
        }

        /** Takes a free place; {@link #NONE} if there is none. A thread begins its search where it found one before. */
        int reserve(Thread thread) {
            int count = places.length();
            int first = (int) (thread.getId() % count);
            for (int i = 0; i < count; i++) {
                int place = first + i < count ? first + i : first + i - count;
                if (places.getPlain(place) == null && places.compareAndSet(place, null, RESERVED)) {
                    return place;
                }
            }
            return NONE;
        }

        void put(int place, PolicyCall<?> call) {
            places.set(place, call);
        }

        void free(int place) {
            places.setRelease(place, null);
        }

        /** The calls that are inside, each read when its turn comes. */
        Stream<PolicyCall<?>> calls() {
            return IntStream.range(0, places.length())
                    .<PolicyCall<?>>mapToObj(places::get)
                    .filter(call -> call != null && call != RESERVED);
        }
    }
}

package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import io.enipam.pluginhost.guard.PluginFailures.CallFailure;
import io.enipam.pluginhost.guard.PluginGuard.GuardContext;
import io.enipam.pluginhost.guard.PluginHealthTracker.GuardedPart;
import io.enipam.pluginhost.guard.PluginThreads.PluginThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few threads of a plugin's for one part of it, a short queue before them, a breaker and a deadline. What cannot be
 * done soon is refused at once, with the reason. A call that is overdue is interrupted once and keeps its thread until
 * it returns; when all threads are kept so, those in the queue are refused as well. Thread-safe.
 */
final class ThreadPoolBulkhead implements GuardedPart {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadPoolBulkhead.class);
    private static final long KEEP_THREADS_SECONDS = 10;

    private final String part;
    private final GuardContext context;
    private final int most;
    private final Breaker breaker;
    private final ThreadPoolExecutor threads;
    private final Set<InFlightCall> overdue = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    /** @param part what the lane is for, for operators: {@code factory cidr} */
    ThreadPoolBulkhead(String part, GuardContext context) {
        GuardLimits limits = context.limits();
        this.part = part;
        this.context = context;
        this.most = limits.concurrent();
        this.breaker = new Breaker(limits.breaker(), context.health()::update);
        this.threads = new ThreadPoolExecutor(
                most,
                most,
                KEEP_THREADS_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(limits.queued()),
                context.threads());
        this.threads.allowCoreThreadTimeOut(true);
    }

    /** What the lane is for. */
    String part() {
        return part;
    }

    /** Does a task soon, or refuses it now. */
    void send(PluginTask task, Duration deadline) {
        if (stopped) {
            refuseLong(task, "it is closed");
            return;
        }
        if (breaker.open()) {
            refuse(task, breaker.trouble().orElse("it failed too often"), breaker.pause());
            return;
        }
        if (overdue.size() >= most) {
            refuseForThreads(task);
            return;
        }
        try {
            threads.execute(new Run(task, deadline.toNanos()));
            if (overdue.size() >= most) {
                refuseQueued();
            }
        } catch (RejectedExecutionException e) {
            if (stopped) {
                refuseLong(task, "it is closed");
            } else {
                refuse(task, "too many calls wait for its " + most + " threads", Duration.ZERO);
            }
        } catch (OutOfMemoryError e) {
            refuseLong(task, "there is no thread for it: " + e.getMessage());
        }
    }

    private void refuseLong(PluginTask task, String why) {
        refuse(task, why, context.limits().breaker().pause());
    }

    private void refuse(PluginTask task, String why, Duration retryAfter) {
        context.tally().skipped.increment();
        task.refused().accept(part + " is not asked: " + why, retryAfter);
    }

    private void refuseForThreads(PluginTask task) {
        refuseLong(task, overdueTrouble().orElse("all its threads are kept"));
    }

    private void refuseQueued() {
        List<Runnable> waiting = new ArrayList<>();
        threads.getQueue().drainTo(waiting);
        waiting.forEach(run -> refuseForThreads(((Run) run).task));
    }

    @Override
    public Optional<String> trouble() {
        return overdueTrouble()
                .or(() -> stopped ? Optional.empty() : breaker.trouble())
                .map(why -> part + ": " + why);
    }

    private Optional<String> overdueTrouble() {
        long now = context.time().nanoTime();
        return overdue.stream()
                .min((a, b) -> Long.signum(a.began() - b.began()))
                .map(call -> call.what() + " has not returned for " + call.age(now));
    }

    @Override
    public int overdue() {
        return overdue.size();
    }

    @Override
    public BreakerState breaker() {
        return stopped ? BreakerState.CLOSED : breaker.state();
    }

    @Override
    public boolean isClosed() {
        return stopped;
    }

    @Override
    public boolean isRetired() {
        return threads.isTerminated();
    }

    /** Something of a task's went wrong after the task itself had returned. */
    void recordLateFailure(String why) {
        breaker.recordLateFailure(why);
    }

    /** Refuses whatever comes from now on. */
    void stop() {
        stopped = true;
        context.health().update();
    }

    /** Interrupts what is under way and refuses what waits. */
    void close() {
        stop();
        threads.shutdownNow().forEach(run -> refuseLong(((Run) run).task, "it is closed"));
    }

    private final class Run implements Runnable {
        private final PluginTask task;
        private final long deadline;

        Run(PluginTask task, long deadline) {
            this.task = task;
            this.deadline = deadline;
        }

        @Override
        public void run() {
            if (!breaker.admits()) {
                refuse(task, breaker.trouble().orElse("it failed too often"), breaker.pause());
                return;
            }
            context.tally().made.increment();
            InFlightCall call = new InFlightCall(task.what(), context.time().nanoTime(), Thread.currentThread());
            Future<?> timer = context.watchdog().after(deadline, () -> claim(call));
            Optional<CallFailure> trouble = attempt();
            timer.cancel(false);
            trouble.ifPresent(what -> context.tally().count(part, what));
            if (call.finish()) {
                trouble.ifPresentOrElse(what -> breaker.recordFailure(what.text()), breaker::recordSuccess);
            } else {
                call.leave();
                overdue.remove(call);
                context.health().update();
                LOG.debug(
                        "{}: {} is back after {}",
                        part,
                        call.what(),
                        call.age(context.time().nanoTime()));
            }
            PluginThread.clean();
        }

        private Optional<CallFailure> attempt() {
            try {
                return task.run().call();
            } catch (Throwable e) {
                // whatever it is, it is the plugin's, and ends the call alone
                try {
                    task.threw().accept(e);
                } catch (Throwable again) {
                    LOG.error("{}: the end of {} went untold", part, task.what(), again);
                }
                return Optional.of(CallFailure.threw(task.what(), e));
            }
        }

        private void claim(InFlightCall call) {
            if (!call.claim()) {
                return;
            }
            try {
                overdue.add(call);
                String late = call.what() + " did not return within " + TimeUnit.NANOSECONDS.toMillis(deadline) + " ms";
                context.tally().late(part, late);
                breaker.recordFailure(late);
                context.health().update();
                task.late().run();
                if (overdue.size() >= most) {
                    refuseQueued();
                }
            } finally {
                context.watchdog().settle(call);
            }
        }
    }

    /**
     * A piece of work for a thread of the plugin's.
     *
     * @param what its name, for operators: {@code create}
     * @param run does it, with the plugin's code in it. What it throws counts as the plugin's
     * @param threw gets what it threw, on the plugin's thread, where the plugin's exceptions may be read
     * @param late it has not returned within its deadline, and still may. Called once, on the watchdog's thread
     * @param refused gets why it is not done, and when to retry. Called instead of all else
     */
    record PluginTask(
            String what,
            Callable<Optional<CallFailure>> run,
            Consumer<Throwable> threw,
            Runnable late,
            BiConsumer<String, Duration> refused) {}
}

package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.engine.concurrent.Stages;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes checks on a few threads. Thread-safe; nothing blocks.
 *
 * <p>The deadline of a check runs from when it has a thread, so one that stands in line behind slow ones is not taken
 * for slow. One that misses it keeps its thread, and is not begun again before it gives the thread back. If all threads
 * are kept so, the waiting ones fail after a time: they leave the line and never begin.
 */
final class CheckRuns {
    private static final Logger LOG = LoggerFactory.getLogger(CheckRuns.class);

    private final ThreadPoolExecutor threads;
    private final Duration patience;
    private final Map<String, Run> runs = new ConcurrentHashMap<>();

    /** @param patience with each check, its facts included; twice as much in line */
    CheckRuns(ThreadPoolExecutor threads, Duration patience) {
        this.threads = threads;
        this.patience = patience;
    }

    /** @return never fails: what goes wrong with a check is its outcome */
    CompletableFuture<Outcome> make(Check check, Facts facts) {
        Run before = runs.get(check.id());
        if (before != null && before.hangs()) {
            return CompletableFuture.completedFuture(notMade("it was begun earlier and has not come to its end"));
        }
        Run run = new Run(check, facts);
        runs.put(check.id(), run);
        run.standInLine();
        return run.told;
    }

    private final class Run {
        private final Check check;
        private final Facts facts;
        /** Whether it got a thread; false once it is given up. */
        private final CompletableFuture<Boolean> begun = new CompletableFuture<>();

        private final CompletableFuture<Outcome> told = new CompletableFuture<>();
        private final Runnable turn = this::take;
        private volatile boolean over;

        Run(Check check, Facts facts) {
            this.check = check;
            this.facts = facts;
        }

        boolean hangs() {
            return begun.getNow(false) && !over;
        }

        void standInLine() {
            begun.thenAccept(got -> {
                if (got) {
                    told.completeOnTimeout(
                            notMade("it did not come to its end within " + patience.toSeconds() + " s"),
                            patience.toMillis(),
                            TimeUnit.MILLISECONDS);
                } else {
                    threads.remove(turn); // else its facts would stay as long as the others hang
                    told.complete(notMade("no thread was free for it, because other checks hang"));
                }
            });
            threads.execute(turn);
            begun.completeOnTimeout(false, 2 * patience.toMillis(), TimeUnit.MILLISECONDS);
        }

        private void take() {
            if (begun.complete(true)) {
                Outcome outcome = looked();
                over = true;
                told.complete(outcome);
            }
        }

        private Outcome looked() {
            try {
                return check.look(facts);
            } catch (MissingFact missing) {
                return missing.outcome();
            } catch (RuntimeException | Error e) {
                Throwable cause = Stages.cause(e);
                LOG.error("the check {} failed; this is a bug of enipam", check.id(), cause);
                return notMade("it failed: " + cause + "; the daemon's log has the details");
            }
        }
    }

    private static Outcome notMade(String why) {
        return Outcome.found(Severity.WARN, "the check could not be made: " + why)
                .fixedBy("events; then look at the daemon's log, and report it");
    }
}

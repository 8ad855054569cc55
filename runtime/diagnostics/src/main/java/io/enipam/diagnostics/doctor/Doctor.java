package io.enipam.diagnostics.doctor;

import io.enipam.config.NearestName;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the checks. Thread-safe; no method blocks.
 *
 * <p>The checks of a run go side by side, each with its deadline, and none can spoil another: one that throws or does
 * not come to its end is a finding like any other, and is not begun again while it hangs. Runs follow one another; a
 * few may wait, and a request equal to one that waits shares its result.
 *
 * <p>Of threads there is a bound of each sort, however much hangs. The sorts are apart, since a check waits for its
 * facts: on common threads, checks would keep the threads that their facts need.
 */
public final class Doctor implements AutoCloseable {
    /** How long a check may take, its facts included. */
    static final Duration PATIENCE = Duration.ofSeconds(12);
    /** How long a part of the facts may take. */
    static final Duration FACTS = Duration.ofSeconds(9);

    /** How long a repair may take while others wait. */
    private static final Duration TREATMENT = Duration.ofSeconds(90);

    /** How many runs may wait behind the one that is made. */
    static final int MOST_WAITING = 4;

    /** Enough threads that checks which wait for a slow source leave some for the others. */
    static final int CHECK_THREADS = 16;

    private final Supplier<List<Check>> checks;
    private final Probes probes;
    private final Map<Repair, Repair.Operation> repairs;
    private final TimeSource time;
    private final Duration facts;
    private final Duration treatment;
    private final ExecutorService turnThread = pool("doctor-turn", 1);
    private final ThreadPoolExecutor checkThreads = pool("doctor-check", CHECK_THREADS);
    private final ExecutorService probeThreads;
    private final CheckRuns runs;
    private final Map<Request, CompletableFuture<Diagnosis>> waiting = new HashMap<>(); // by this
    private int turns; // by this: the one that is taken, and those that wait
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null); // by this

    /** @param checks those there are now; their ids differ */
    public Doctor(Supplier<List<Check>> checks, Probes probes, Map<Repair, Repair.Operation> repairs, TimeSource time) {
        this(checks, probes, repairs, time, PATIENCE, FACTS, TREATMENT);
    }

    Doctor(
            Supplier<List<Check>> checks,
            Probes probes,
            Map<Repair, Repair.Operation> repairs,
            TimeSource time,
            Duration patience,
            Duration facts,
            Duration treatment) {
        this.checks = checks;
        this.probes = probes;
        this.repairs = repairs;
        this.time = time;
        this.facts = facts;
        this.treatment = treatment;
        // each probe is under way once at most, so none ever stands in line
        this.probeThreads = pool("doctor-probe", Math.max(1, probes.size()));
        this.runs = new CheckRuns(checkThreads, patience);
    }

    /** A pool whose threads end when they have nothing to do. */
    private static ThreadPoolExecutor pool(String name, int most) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                most, most, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), DaemonThreads.named(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** All checks there are, by id. */
    public List<Check> catalogue() {
        return List.copyOf(byId().values());
    }

    private SortedMap<String, Check> byId() {
        SortedMap<String, Check> byId = new TreeMap<>();
        checks.get().forEach(check -> byId.put(check.id(), check));
        return byId;
    }

    /**
     * Makes the checks of these ids, or all of them if there are none.
     *
     * @param given parts of the facts that only the caller knows
     * @throws IpamException if there is no such check
     */
    public CompletionStage<Diagnosis> examine(Collection<String> ids, List<? extends Record> given) {
        List<Check> chosen = ids.isEmpty()
                ? catalogue()
                : ids.stream().distinct().map(this::check).toList();
        Request request = new Request(chosen.stream().map(Check::id).toList(), List.copyOf(given));
        synchronized (this) {
            CompletableFuture<Diagnosis> equal = waiting.get(request);
            if (equal != null) {
                return equal.copy();
            }
            CompletableFuture<Diagnosis> mine = inTurn(() -> {
                synchronized (this) {
                    // it begins: a caller that asks from now on gets one that begins later
                    waiting.remove(request);
                }
                return run(chosen, given);
            });
            waiting.put(request, mine);
            return mine.copy();
        }
    }

    /**
     * Makes a check and, if it finds something, repairs it and makes it again.
     *
     * @throws IpamException if there is no such check, or nothing repairs safely what it finds
     */
    public CompletionStage<RepairResult> repair(String id, boolean dryRun) {
        Check check = check(id);
        Repair repair = check.repair()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.INVALID_ARGUMENT,
                        "nothing that the daemon may do mends what '" + id + "' finds",
                        "see: " + check.fix()));
        long begun = time.nanoTime();
        return inTurn(() -> alone(check).thenCompose(before -> {
            if (!before.repairable()) {
                return CompletableFuture.completedFuture(
                        new RepairResult(dryRun, List.of(), before, Optional.empty(), since(begun)));
            }
            Repair.Operation operation = before.outcome().operation().orElseGet(() -> repairs.get(repair));
            return within(id, operation.run(dryRun)).thenCompose(steps -> {
                CompletableFuture<Optional<Finding>> after = dryRun
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : alone(check).thenApply(Optional::of);
                return after.thenApply(found -> new RepairResult(dryRun, steps, before, found, since(begun)));
            });
        }));
    }

    private CompletableFuture<Finding> alone(Check check) {
        return run(List.of(check), List.of()).thenApply(made -> made.findings().get(0));
    }

    /** An operation that hangs goes on by itself, and the doctor is there for others. */
    private CompletableFuture<List<String>> within(String id, CompletionStage<List<String>> operation) {
        return operation
                .thenApply(steps -> steps)
                .toCompletableFuture()
                .orTimeout(treatment.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof TimeoutException
                                ? new IpamException(
                                        ErrorCode.DEADLINE_EXCEEDED,
                                        "what mends '" + id + "' has not come to its end within "
                                                + treatment.toSeconds() + " s; it goes on",
                                        "look again later: doctor " + id)
                                : failure));
    }

    /** What is asked for; equal ones are answered alike. */
    private record Request(List<String> checks, List<Record> given) {}

    private synchronized <T> CompletableFuture<T> inTurn(Supplier<CompletionStage<T>> turn) {
        if (turns > MOST_WAITING) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "asked too often; " + MOST_WAITING + " runs of the doctor wait for their turn",
                    "again when they are over, in a minute at most");
        }
        turns++;
        CompletableFuture<T> mine = last.handle((done, failure) -> turn).thenComposeAsync(Supplier::get, turnThread);
        // before the future completes, so that a caller that asks again then is not refused for it
        mine = mine.whenComplete((done, failure) -> {
            synchronized (this) {
                turns--;
            }
        });
        last = mine;
        return mine;
    }

    private CompletableFuture<Diagnosis> run(List<Check> chosen, List<? extends Record> given) {
        long begun = time.nanoTime();
        Facts gathered = probes.gather(probeThreads, facts, time.now(), given);
        // before the checks begin, which take seconds: all of a run speak of one moment
        List<String> named = gathered.ifThere(Troubles.Found.class).stream()
                .flatMap(found -> found.troubles().stream())
                .map(trouble -> trouble.cause().check())
                .distinct()
                .toList();
        List<CompletableFuture<Finding>> findings = chosen.stream()
                .map(check ->
                        runs.make(check, gathered).thenApply(outcome -> new Finding(check, outcome, since(begun))))
                .toList();
        return CompletableFuture.allOf(findings.toArray(CompletableFuture[]::new))
                .thenApply(all -> findings.stream().map(CompletableFuture::join).sorted(worstFirst(named)))
                .thenApply(sorted -> new Diagnosis(gathered.now(), since(begun), sorted.toList()));
    }

    /** @param named ids of the checks that troubles name, which come first of their severity */
    private static Comparator<Finding> worstFirst(List<String> named) {
        return Comparator.comparing(Finding::severity)
                .reversed()
                .thenComparing(finding -> named.contains(finding.check().id())
                        ? named.indexOf(finding.check().id())
                        : named.size())
                .thenComparing(finding -> finding.check().id());
    }

    private Check check(String id) {
        SortedMap<String, Check> byId = byId();
        return Optional.ofNullable(byId.get(id)).orElseThrow(() -> {
            String near = NearestName.of(id, byId.keySet())
                    .map(name -> "; did you mean " + name + "?")
                    .orElse("");
            return new IpamException(
                    ErrorCode.NOT_FOUND,
                    "there is no check '" + id + "'" + near,
                    "'doctor --list' shows the checks there are");
        });
    }

    private Duration since(long begun) {
        return Duration.ofNanos(time.nanoTime() - begun);
    }

    @Override
    public void close() {
        turnThread.shutdownNow();
        checkThreads.shutdownNow();
        probeThreads.shutdownNow();
    }

    public record Finding(Check check, Outcome outcome, Duration took) {
        public Severity severity() {
            return outcome.severity();
        }

        /** Whether an operator may want to do something about it. */
        public boolean wanting() {
            return severity().atLeast(Severity.INFO);
        }

        /** Whether a repair has something to mend: one that could not look, or hangs, has seen nothing. */
        public boolean repairable() {
            boolean known = check.repair()
                    .filter(repair ->
                            repair != Repair.PLUGIN || outcome.operation().isPresent())
                    .isPresent();
            return wanting() && known && !outcome.evidence().isEmpty();
        }

        /** What to do about it; empty text if nothing is to be done. */
        public String fix() {
            return wanting() ? outcome.fix().orElse(check.fix()) : "";
        }
    }

    /** @param findings one for each check that was made: the worst first, of those what troubles name, then by id */
    public record Diagnosis(Instant at, Duration took, List<Finding> findings) {
        /** The worst of all; what was skipped does not count. */
        public Severity worst() {
            return findings.stream()
                    .map(Finding::severity)
                    .filter(severity -> severity != Severity.SKIPPED)
                    .reduce(Severity.OK, Severity::worse);
        }
    }

    /**
     * @param steps what was done, or would be, one line each; empty if there was nothing to repair
     * @param after the check made again; empty in a dry run, and if there was nothing to repair
     */
    public record RepairResult(
            boolean dryRun, List<String> steps, Finding before, Optional<Finding> after, Duration took) {}

    /**
     * Makes checks on a few threads. Thread-safe; nothing blocks.
     *
     * <p>The deadline of a check runs from when it has a thread, so one that stands in line behind slow ones is not taken
     * for slow. One that misses it keeps its thread, and is not begun again before it gives the thread back. If all threads
     * are kept so, the waiting ones fail after a time: they leave the line and never begin.
     */
    static final class CheckRuns {
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
}

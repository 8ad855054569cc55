package io.enipam.diagnostics.doctor;

import io.enipam.config.NearestName;
import io.enipam.diagnostics.doctor.GatheredFacts.RunningProbes;
import io.enipam.diagnostics.doctor.Outcome.Severity;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Makes the checks. Thread-safe; no method blocks.
 *
 * <p>The checks of a run go side by side, each with its deadline, and none can spoil another: one that throws or does
 * not come to its end is a finding like any other, and is not begun again while it hangs. Runs follow one another; a
 * few may wait, and a request equal to one that waits shares its result.
 */
public final class Doctor implements AutoCloseable {
    /** How long a check may take, its facts included. */
    static final Duration PATIENCE = Duration.ofSeconds(12);
    /** How long a part of the facts may take. */
    static final Duration FACTS = Duration.ofSeconds(9);

    /** How long what mends something may take while others wait. */
    private static final Duration TREATMENT = Duration.ofSeconds(90);

    /** How many runs may wait behind the one that is made. */
    static final int MOST_WAITING = 4;

    private static final Comparator<Finding> WORST_FIRST = Comparator.comparing(Finding::severity)
            .reversed()
            .thenComparing(finding -> finding.check().id());

    private final List<Check> checks;
    private final Probes probes;
    private final Map<Repair, Repair.Operation> repairs;
    private final TimeSource time;
    private final Duration facts;
    private final Duration treatment;
    private final DoctorThreads threads;
    private final CheckRuns runs;
    private final RunningProbes probing = new RunningProbes();
    private final Map<Request, CompletableFuture<Diagnosis>> waiting = new HashMap<>(); // by this
    private int turns; // by this: the one that is taken, and those that wait
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null); // by this

    /** @param checks their ids differ */
    public Doctor(List<Check> checks, Probes probes, Map<Repair, Repair.Operation> repairs, TimeSource time) {
        this(checks, probes, repairs, time, PATIENCE, FACTS, TREATMENT);
    }

    Doctor(
            List<Check> checks,
            Probes probes,
            Map<Repair, Repair.Operation> repairs,
            TimeSource time,
            Duration patience,
            Duration facts,
            Duration treatment) {
        this.checks = checks.stream()
                .sorted(Comparator.comparing(check -> check.id()))
                .toList();
        this.probes = probes;
        this.repairs = Map.copyOf(repairs);
        this.time = time;
        this.facts = facts;
        this.treatment = treatment;
        this.threads = new DoctorThreads(probes.size());
        this.runs = new CheckRuns(threads.checks(), patience);
    }

    /** All checks there are, by id. */
    public List<Check> catalogue() {
        return checks;
    }

    /**
     * Makes the checks of these ids, or all of them if there are none.
     *
     * @param given parts of the facts that only the caller knows
     * @throws IpamException if there is no such check
     */
    public CompletionStage<Diagnosis> examine(Collection<String> ids, List<? extends Record> given) {
        List<Check> chosen = ids.isEmpty()
                ? checks
                : ids.stream().distinct().map(this::check).toList();
        Request request = new Request(chosen.stream().map(check -> check.id()).toList(), List.copyOf(given));
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
     * Makes a check and, if it finds something, mends it and makes it again.
     *
     * @throws IpamException if there is no such check, or nothing mends safely what it finds
     */
    public CompletionStage<RepairResult> repair(String id, boolean dryRun) {
        Check check = check(id);
        Repair repair = check.repair()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.INVALID_ARGUMENT,
                        "nothing that the daemon may do mends what '" + id + "' finds",
                        "see: " + check.fix()));
        long begun = time.nanoTime();
        return inTurn(() -> run(List.of(check), List.of()).thenCompose(first -> {
            Finding before = first.findings().get(0);
            if (!before.repairable()) {
                return CompletableFuture.completedFuture(
                        new RepairResult(dryRun, List.of(), before, Optional.empty(), since(begun)));
            }
            return within(check, operation(repair).run(dryRun))
                    .thenCompose(steps -> dryRun
                            ? CompletableFuture.completedFuture(
                                    new RepairResult(true, steps, before, Optional.empty(), since(begun)))
                            : run(List.of(check), List.of())
                                    .thenApply(again -> new RepairResult(
                                            false,
                                            steps,
                                            before,
                                            Optional.of(again.findings().get(0)),
                                            since(begun))));
        }));
    }

    private Repair.Operation operation(Repair repair) {
        Repair.Operation operation = repairs.get(repair);
        if (operation == null) {
            throw new IllegalStateException("no operation for " + repair);
        }
        return operation;
    }

    /** An operation that hangs goes on by itself, and the doctor is there for others. */
    private CompletableFuture<List<String>> within(Check check, CompletionStage<List<String>> operation) {
        return operation
                .thenApply(steps -> steps)
                .toCompletableFuture()
                .orTimeout(treatment.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        failure instanceof TimeoutException
                                ? new IpamException(
                                        ErrorCode.DEADLINE_EXCEEDED,
                                        "what mends '" + check.id() + "' has not come to its end within "
                                                + treatment.toSeconds() + " s; it goes on",
                                        "look again later: doctor " + check.id())
                                : failure));
    }

    /** What is asked for; equal ones are answered alike. */
    private record Request(List<String> ids, List<Record> given) {}

    private interface Turn<T> {
        CompletionStage<T> take();
    }

    private synchronized <T> CompletableFuture<T> inTurn(Turn<T> turn) {
        if (turns > MOST_WAITING) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "asked too often; " + MOST_WAITING + " runs of the doctor wait for their turn",
                    "again when they are over, in a minute at most");
        }
        turns++;
        CompletableFuture<T> mine = last.handle((done, failure) -> turn).thenComposeAsync(Turn::take, threads.turns());
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
        Facts gathered = new GatheredFacts(probes, probing, threads.probes(), facts, time.now(), given);
        List<CompletableFuture<Finding>> findings =
                chosen.stream().map(check -> made(check, gathered)).toList();
        return CompletableFuture.allOf(findings.toArray(CompletableFuture[]::new))
                .thenApply(all -> new Diagnosis(
                        gathered.now(),
                        since(begun),
                        findings.stream()
                                .map(CompletableFuture::join)
                                .sorted(WORST_FIRST)
                                .toList()));
    }

    private CompletableFuture<Finding> made(Check check, Facts gathered) {
        long begun = time.nanoTime();
        return runs.make(check, gathered).thenApply(outcome -> new Finding(check, outcome, since(begun)));
    }

    private Check check(String id) {
        List<String> ids = checks.stream().map(check -> check.id()).toList();
        return checks.stream()
                .filter(check -> check.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IpamException(
                        ErrorCode.NOT_FOUND,
                        "there is no check '" + id + "'"
                                + NearestName.of(id, ids)
                                        .map(near -> "; did you mean " + near + "?")
                                        .orElse(""),
                        "'doctor --list' shows the checks there are"));
    }

    private Duration since(long begun) {
        return Duration.ofNanos(time.nanoTime() - begun);
    }

    /** Makes no further check. */
    @Override
    public void close() {
        threads.close();
    }

    /**
     * What one run found.
     *
     * @param findings one for each check that was made, the worst first, then by id
     */
    public record Diagnosis(Instant at, Duration took, List<Finding> findings) {
        public Diagnosis {
            findings = List.copyOf(findings);
        }

        /** The worst of all; what was skipped counts as well. */
        public Severity worst() {
            return findings.stream()
                    .map(Finding::severity)
                    .filter(severity -> severity != Severity.SKIPPED)
                    .reduce(Severity.OK, Severity::worse);
        }
    }

    /**
     * What came of a repair.
     *
     * @param steps what was done, or would be, one line each; empty if there was nothing to repair
     * @param after the check made again; empty in a dry run, and if there was nothing to repair
     */
    public record RepairResult(
            boolean dryRun, List<String> steps, Finding before, Optional<Finding> after, Duration took) {
        public RepairResult {
            steps = List.copyOf(steps);
        }
    }
}

package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.readiness.Trouble;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a check found.
 *
 * @param summary one line; of a check that was skipped, why
 * @param fix what to do, where the check knows better than its description
 * @param applicable whether there is anything to look at in this build and configuration
 * @param operation what repairs just this, of a check of {@link Repair#PLUGIN}
 */
public record Outcome(
        Severity severity,
        String summary,
        List<Evidence> evidence,
        Optional<String> fix,
        boolean applicable,
        Optional<Repair.Operation> operation) {
    public static Outcome ok(String summary) {
        return found(Severity.OK, summary);
    }

    public static Outcome skipped(String why) {
        return found(Severity.SKIPPED, why);
    }

    /** There is nothing here that could be looked at, and never will be while the daemon is as it is. */
    public static Outcome notApplicable(String why) {
        return new Outcome(
                Severity.SKIPPED, "not applicable: " + why, List.of(), Optional.empty(), false, Optional.empty());
    }

    public static Outcome found(Severity severity, String summary, List<Evidence> evidence) {
        return new Outcome(severity, summary, evidence, Optional.empty(), true, Optional.empty());
    }

    public static Outcome found(Severity severity, String summary, Evidence... evidence) {
        return found(severity, summary, List.of(evidence));
    }

    /** All is well if there is no evidence of anything else. */
    static Outcome unless(List<Evidence> evidence, Severity severity, String summary, String well) {
        return evidence.isEmpty() ? ok(well) : found(severity, summary, evidence);
    }

    /**
     * One piece of evidence for each fault; all is well without any.
     *
     * @param summary of so many faults
     */
    static Outcome each(Stream<Evidence> faults, Severity severity, IntFunction<String> summary, String well) {
        List<Evidence> evidence = faults.toList();
        return unless(evidence, severity, summary.apply(evidence.size()), well);
    }

    /** What has a limit: WARN from 80 percent of it on, CRITICAL from 95. */
    static Outcome filled(long used, long limit, String what, String subject, String source) {
        int percent = Figures.percent(used, limit);
        String figures = used + " of " + limit + " " + what;
        Severity severity = percent < 95 ? Severity.WARN : Severity.CRITICAL;
        return percent < 80 ? ok(figures) : found(severity, figures, new Evidence(subject, figures, source));
    }

    Outcome fixedBy(String command) {
        return new Outcome(severity, summary, evidence, Optional.of(command), applicable, operation);
    }

    /** The same below the troubles of a check, one or more: the first one's words, and what was seen as further evidence. */
    Outcome under(List<Trouble> troubles, String check) {
        Trouble first = troubles.get(0);
        int more = troubles.size() - 1;
        List<Evidence> all = new ArrayList<>();
        for (Trouble one : troubles) {
            String subject = one.enis().isEmpty() ? "the node" : String.join(", ", one.enis());
            String affected = one.pods().isEmpty()
                    ? one == first ? one.cause().name() : one.text()
                    : "pods: " + String.join(", ", one.pods());
            all.add(new Evidence(subject, affected, "status", one.since()));
        }
        if (severity.atLeast(Severity.INFO)) {
            all.add(new Evidence(check, summary, "doctor"));
        }
        all.addAll(evidence);
        String advice = Stream.of(first.advice().split("; "))
                .filter(command -> !command.equals("doctor " + check))
                .collect(Collectors.joining("; "));
        return new Outcome(
                (first.critical() ? Severity.CRITICAL : Severity.WARN).worse(severity),
                first.text() + (more == 0 ? "" : " (and " + more + " more)"),
                all,
                Optional.of(advice).filter(commands -> !commands.isEmpty()).or(() -> fix),
                true,
                operation);
    }

    Outcome repairedBy(Repair.Operation run) {
        return new Outcome(severity, summary, evidence, fix, applicable, Optional.of(run));
    }

    /**
     * @param subject what it is about: an address, an ENI, a pod, a file
     * @param seen what was seen of it, a few words
     * @param source who says so: {@code database}, {@code pool}, {@code cloud}, {@code kernel}, {@code host} and the
     *     like
     */
    public record Evidence(String subject, String seen, String source, Optional<Instant> since) {
        public Evidence(String subject, String seen, String source) {
            this(subject, seen, source, Optional.empty());
        }

        public Evidence(String subject, String seen, String source, Instant since) {
            this(subject, seen, source, Optional.of(since));
        }
    }

    public enum Severity {
        /** Looked at, and well. */
        OK,
        /** Not looked at, for a reason that is given. */
        SKIPPED,
        /** Good to know; nothing has to be done. */
        INFO,
        /** It works, but not for long, or not for all pods: look at it today. */
        WARN,
        /** Pods are without network, or are about to be: look at it now. */
        CRITICAL;

        public boolean atLeast(Severity other) {
            return compareTo(other) >= 0;
        }

        Severity worse(Severity other) {
            return atLeast(other) ? this : other;
        }
    }
}

package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.HistoryFacts;
import io.enipam.diagnostics.doctor.fact.ReadinessFacts;
import io.enipam.observability.history.Sample;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** ADDs that fail. */
final class AddFailures implements Check {
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final long SOME = 3;
    private static final long MANY = 5;

    private static final About ABOUT = new About(
            "add-failures",
            "Pods do not get their network",
            Severity.CRITICAL,
            "The CNI ADDs of the last ten minutes. WARN if three or more failed and they are a"
                    + " tenth of all, CRITICAL if five or more failed and none worked, or if for a minute"
                    + " none has: the node is not ready then.",
            "Each is a pod that does not start until the runtime tries again.",
            "events; trace POD tells the story of one; the codes tell the cause: POOL_EXHAUSTED,"
                    + " CLOUD_FAILED, STORE_FAILED ...");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        Map<String, Long> codes = new TreeMap<>();
        long done = 0;
        for (Sample sample : facts.the(HistoryFacts.class).samples()) {
            if (sample.at().isAfter(facts.now().minus(WINDOW))) {
                done += sample.add().done();
                sample.add().failures().forEach((code, count) -> codes.merge(code, count, Long::sum));
            }
        }
        long failed = codes.values().stream().mapToLong(Long::longValue).sum();
        String figures = failed + " of the last " + (done + failed) + " ADDs failed";
        if (failed < SOME || failed * 10 < done + failed) {
            return Outcome.ok(figures);
        }
        List<Evidence> evidence = codes.entrySet().stream()
                .map(code -> new Evidence(code.getKey(), Say.count(code.getValue(), "ADD"), "history"))
                .toList();
        Optional<String> refused = facts.the(ReadinessFacts.class).verdict().of(AddReadiness.Requirement.ADDS);
        return Outcome.of(
                refused.isPresent() || (done == 0 && failed >= MANY) ? Severity.CRITICAL : Severity.WARN,
                refused.orElse(figures),
                evidence);
    }
}

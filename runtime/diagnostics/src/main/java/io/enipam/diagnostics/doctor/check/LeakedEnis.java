package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.SweepFacts;
import io.enipam.engine.port.EniSweeper;
import java.util.List;

/** ENIs left behind. */
final class LeakedEnis implements Check {
    private static final About ABOUT = new About(
                    "eni-leaked",
                    "An ENI of this node is known to nobody",
                    Severity.WARN,
                    "A dry run of the sweep: ENIs with this node's tags that are in no book here. WARN for"
                            + " those a sweep would delete, INFO for those that are too young or hang on something.",
                    "It costs quota and addresses of the vSwitch, and once attached a slot of the instance.",
                    "eni sweep --dry-run; eni sweep")
            .mendedBy(Repair.SWEEP);

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        EniSweeper.Report report = facts.the(SweepFacts.class).report();
        if (report.candidates().isEmpty()) {
            return Outcome.ok("all " + Say.count(report.examined(), "ENI") + " of this node are known");
        }
        List<Evidence> evidence = report.candidates().stream()
                .map(eni -> new Evidence(
                        eni.id(),
                        eni.state() + " in " + eni.vswitch() + " with "
                                + Say.count(eni.addresses().size(), "IP") + ": " + eni.reason(),
                        "cloud",
                        eni.createdAt()))
                .toList();
        long taken =
                report.candidates().stream().filter(EniSweeper.Candidate::taken).count();
        return taken > 0
                ? Outcome.of(Severity.WARN, Say.count(taken, "ENI") + " left behind in the cloud", evidence)
                : Outcome.of(
                        Severity.INFO,
                        Say.count(evidence.size(), "ENI") + " that nobody here knows, and that no sweep takes yet",
                        evidence);
    }
}

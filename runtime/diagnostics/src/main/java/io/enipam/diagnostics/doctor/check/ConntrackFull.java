package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.MissingFact;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ConntrackFacts;

/** A full conntrack table. */
final class ConntrackFull implements Check {
    private static final About ABOUT = new About(
            "conntrack-full",
            "The table of connections is nearly full",
            Severity.CRITICAL,
            "Entries of conntrack against its limit. WARN from 80 percent on, CRITICAL from 95.",
            "When it is full the kernel drops packets of new connections, of every pod.",
            "raise net.netfilter.nf_conntrack_max; conntrack -S");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        ConntrackFacts.Entries entries = facts.the(ConntrackFacts.class)
                .entries()
                .orElseThrow(() -> new MissingFact("the kernel does not tell how many connections it tracks"));
        int used = Say.percent(entries.count(), entries.most());
        String figures = entries.count() + " of " + entries.most() + " connections are tracked";
        return used < 80
                ? Outcome.ok(figures)
                : Outcome.of(
                        used < 95 ? Severity.WARN : Severity.CRITICAL,
                        figures,
                        new Evidence("conntrack", figures, "kernel"));
    }
}

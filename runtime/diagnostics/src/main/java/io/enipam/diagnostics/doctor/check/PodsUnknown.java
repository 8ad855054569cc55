package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EngineFacts;

/** A daemon without a cluster. */
final class PodsUnknown implements Check {
    private static final About ABOUT = new About(
            "pods-unknown",
            "Nobody knows which pods there are",
            Severity.INFO,
            "Whether somebody can be asked for the pods of this node. INFO if not: then every pod"
                    + " that a call names is taken to exist.",
            "Garbage collection finds nothing, so an address whose DEL was lost stays lent.",
            "set kubernetes.kubeconfig, or run the daemon in a pod; cni del --pod NS/NAME ends a lease by hand");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        return facts.the(EngineFacts.class).podsKnown()
                ? Outcome.ok("the pods of this node are known")
                : Outcome.of(Severity.INFO, "no cluster is asked, so no lease is ever found stale");
    }
}

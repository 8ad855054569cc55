package io.enipam.daemon.cni;

import io.enipam.daemon.cni.spec.CniCode;
import io.enipam.daemon.cni.spec.CniException;
import io.enipam.daemon.cni.spec.NetConf;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.model.OwnerKey;
import java.util.Optional;
import java.util.Set;

/** GC: what is not among the valid attachments ends. Without a list of them nothing is done. Thread-safe. */
final class GcVerb {
    private final CniParts parts;

    GcVerb(CniParts parts) {
        this.parts = parts;
    }

    void run(NetConf conf) {
        Optional<Set<OwnerKey>> valid = conf.attachments();
        if (valid.isEmpty()) {
            return;
        }
        Deadline deadline = Deadline.in(AddVerb.LONGEST);
        deadline.awaitPhase(parts.engine(), Set.of(Phase.READY));
        Leavings.Report report = deadline.outcome(
                new Leavings(parts.engine(), parts.kernel())
                        .end(conf.name(), valid.get()::contains, false, CniDesk.BY + " gc"),
                "the collection");
        if (!report.problems().isEmpty()) {
            throw new CniException(
                    CniCode.GC_INCOMPLETE,
                    "of network " + conf.name() + ", " + report.ended().size() + " leases ended, and "
                            + report.problems().size() + " could not be ended or cleared away",
                    String.join("; ", report.problems()));
        }
    }
}

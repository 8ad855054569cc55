package io.enipam.frontends.cni;

import io.enipam.frontends.cni.spec.CniErrorCode;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.NetConf;
import io.enipam.engine.EngineStatus.Phase;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.EventSink;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * GC: what is not among the valid attachments ends. Without a list of them nothing is done; an empty list says that none is valid,
 * as after a restart of the node. What ended is told in an event: if the list was wrong, pods have lost their network. Thread-safe.
 */
final class GcHandler {
    /** How many pods an event names. */
    private static final int NAMED = 10;

    private final CniContext parts;
    private final EventSink events;

    GcHandler(CniContext parts, EventSink events) {
        this.parts = parts;
        this.events = events;
    }

    void run(NetConf conf) {
        Optional<Set<OwnerKey>> valid = conf.attachments();
        if (valid.isEmpty()) {
            return;
        }
        // before anything is waited for: an ADD may be served while this call waits for the engine
        Instant asked = parts.engine().pendingWork().at();
        Deadline deadline = Deadline.in(AddHandler.LONGEST);
        deadline.awaitPhase(parts.engine(), Set.of(Phase.READY));
        StaleAttachmentCleaner.CleanupReport report = deadline.outcome(
                new StaleAttachmentCleaner(parts.engine(), parts.kernel())
                        .end(conf.name(), valid.get()::contains, asked, false, CniHandler.BY + " gc"),
                "the collection");
        tell(conf.name(), valid.get().size(), report);
        if (!report.problems().isEmpty()) {
            throw new CniException(
                    CniErrorCode.GC_INCOMPLETE,
                    "of network " + conf.name() + ", " + report.ended().size() + " leases ended, and "
                            + report.problems().size() + " could not be ended or cleared away",
                    String.join("; ", report.problems()));
        }
    }

    private void tell(String network, int valid, StaleAttachmentCleaner.CleanupReport report) {
        int ended = report.ended().size();
        int disconnected = report.disconnected().size();
        if (ended + disconnected == 0) {
            return;
        }
        String pods = report.ended().stream()
                .limit(NAMED)
                .map(lease -> lease.pod().toString())
                .collect(Collectors.joining(", "));
        events.publish(
                valid == 0 ? Event.Severity.WARNING : Event.Severity.INFO,
                "CniGcEnded",
                "cni",
                "GC ended " + ended + " of " + report.looked() + " leases of network " + network
                        + (disconnected == 0 ? "" : " and disconnected " + disconnected + " sandboxes without one")
                        + ": the runtime calls " + (valid == 0 ? "no sandbox" : valid + " sandboxes") + " valid"
                        + (ended == 0 ? "" : "; they were of " + pods + (ended > NAMED ? ", ..." : "")),
                Map.of("network", network, "ended", Integer.toString(ended), "valid", Integer.toString(valid)));
    }
}

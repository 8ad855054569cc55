package io.enipam.datapath;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.datapath.KernelDatapath.KernelFault.Part;
import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.link.Expectation;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.engine.model.OwnerKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares the kernel with the records, and repairs it. Blocks. Thread-safe. */
record DatapathAuditor(SandboxConnector attachments) {
    private static final Logger LOG = LoggerFactory.getLogger(DatapathAuditor.class);

    List<KernelFault> audit() {
        // the kernel first: whatever it has by then was recorded before
        NetnsSnapshot node = attachments.recoverRecords();
        Collection<AttachmentRecord> records = attachments.records().all();
        List<KernelFault> faults = new ArrayList<>();
        records.forEach(record -> faults.addAll(audit(record, node)));
        faults.addAll(attachments.leftovers(node).faults());
        return faults;
    }

    List<KernelFault> audit(OwnerKey owner) {
        NetnsSnapshot node = attachments.recoverRecords();
        return attachments
                .records()
                .of(owner)
                .map(record -> audit(record, node))
                .orElseGet(() -> List.of(new KernelFault(
                        Optional.of(owner),
                        Part.LINK,
                        owner + " is not connected: it has neither link nor record",
                        false)));
    }

    private List<KernelFault> audit(AttachmentRecord record, NetnsSnapshot node) {
        return attachments.locks().holding(record.key(), () -> {
            if (attachments.records().of(record.key()).isEmpty()) {
                // disconnected meanwhile
                return List.of();
            }
            Expectation wanted = attachments.kind(record).expectation(record, attachments.node());
            KernelStateDiff comparison = new KernelStateDiff(record.key());
            comparison.side(wanted.node(), node, "on the node");
            comparison.rules(wanted.rules(), node);
            comparison.sysctls(wanted.sysctls(), attachments.node().sysctls());
            pod(record, wanted, comparison);
            return comparison.faults();
        });
    }

    private void pod(AttachmentRecord record, Expectation wanted, KernelStateDiff comparison) {
        if (record.netns().isEmpty()) {
            // its record was lost, and with it the path of the namespace
            return;
        }
        String objection = Netns.objection(record.netns());
        if (!objection.isEmpty()) {
            comparison.fault(
                    Part.LINK, "the pod's namespace " + record.netns() + " cannot be entered: " + objection, false);
            return;
        }
        try {
            NetnsSnapshot pod = NetnsSnapshot.of(attachments.node().runner(), record.netns());
            comparison.side(wanted.pod(), pod, "in the pod");
        } catch (CommandFailedException e) {
            if (Netns.usable(record.netns())) {
                throw e;
            }
            comparison.fault(Part.LINK, "the pod's namespace " + record.netns() + " went away", false);
        }
    }

    List<KernelFault> repair(Set<OwnerKey> kept) {
        NetnsSnapshot node = attachments.recoverRecords();
        List<KernelFault> mended = new ArrayList<>();
        for (AttachmentRecord record : attachments.records().all()) {
            if (kept.contains(record.key())) {
                mended.addAll(mend(record, node));
            } else if (!attachments.isNew(record.key())) {
                removed(record).ifPresent(mended::add);
            }
        }
        mended.addAll(attachments.sweep(all -> all).faults());
        return mended;
    }

    List<KernelFault> mend() {
        NetnsSnapshot node = attachments.recoverRecords();
        attachments.records().all().forEach(record -> mend(record, node));
        return audit().stream().filter(fault -> fault.part() != Part.LEFTOVER).toList();
    }

    private Optional<KernelFault> removed(AttachmentRecord record) {
        try {
            attachments.tearDown(record.key());
            return Optional.of(new KernelFault(
                    Optional.of(record.key()),
                    Part.LEFTOVER,
                    "the connection " + record.hostLink() + " of " + record.key() + " has no lease",
                    true));
        } catch (RuntimeException e) {
            // a failure does not stop the repair of others; it is a fault the next time, too
            LOG.warn("{} has no lease and cannot be disconnected: {}", record.key(), e.getMessage());
            return Optional.empty();
        }
    }

    private List<KernelFault> mend(AttachmentRecord record, NetnsSnapshot node) {
        try {
            return attachments.locks().holding(record.key(), () -> {
                List<KernelFault> faults = audit(record, node);
                if (faults.isEmpty() || !faults.stream().allMatch(KernelFault::mendable)) {
                    return List.of();
                }
                attachments.mend(record);
                return faults;
            });
        } catch (RuntimeException e) {
            LOG.warn("{} cannot be mended: {}", record.key(), e.getMessage());
            return List.of();
        }
    }
}

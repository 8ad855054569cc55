package io.enipam.datapath.veth;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.link.RulePriorities;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;

/** The two rules of an address. */
final class VethRules {
    private VethRules() {}

    static String to(PodAddress address) {
        return "pref " + RulePriorities.TO_POD + " to " + address.alone() + " lookup main protocol " + Batch.PROTOCOL;
    }

    static String from(PodAddress address, AttachmentRecord record) {
        return "pref " + RulePriorities.FROM_POD + " from " + address.alone() + " iif " + record.hostLink() + " lookup "
                + record.table() + " protocol " + Batch.PROTOCOL;
    }
}

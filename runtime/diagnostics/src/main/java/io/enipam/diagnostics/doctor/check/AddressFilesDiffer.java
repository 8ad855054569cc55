package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.AddressFileFacts;
import java.util.List;

/** Files of addresses of the node's CIDR that are empty, name another owner than the lease, or name a container that has no pod. */
final class AddressFilesDiffer implements Check {
    private static final About ABOUT = new About(
                    "address-file-differs",
                    "An address of the node's CIDR has a file that does not fit",
                    Severity.WARN,
                    "In mode VPC: the files of vpc.address_dir that are older than two minutes, against the leases and the"
                            + " routes of the node: files that name no owner, or another than the lease's, those of enipam"
                            + " without a lease, and those of host-local whose address no route leads to.",
                    "The address is lost for pods as long as the file is there, or a pod may lose it to another.",
                    "pool sync writes enipam's own again; remove a file of host-local when 'crictl pods' has no sandbox of its id")
            .mendedBy(Repair.SYNC);

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        AddressFileFacts files = facts.the(AddressFileFacts.class);
        if (files.place().isEmpty()) {
            return Outcome.notApplicable("pods get no addresses of the node's CIDR");
        }
        List<Evidence> evidence = files.odd().stream()
                .map(odd -> new Evidence(odd.address(), odd.seen(), "host", odd.written()))
                .toList();
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Say.count(evidence.size(), "address") + " of " + files.place() + " whose file does not fit",
                files.ours() + " addresses of " + files.place() + " are enipam's, " + files.others()
                        + " are of others, and all files fit");
    }
}

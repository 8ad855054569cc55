package io.enipam.diagnostics.doctor.check;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.fact.KernelFacts;
import io.enipam.engine.model.OwnerKey;
import java.util.List;
import java.util.Set;

/**
 * Some parts of what pods have in the kernel, against what they should have.
 *
 * @param parts those of this check
 * @param well what to say when there is no fault
 */
record KernelDiffers(About about, Set<KernelFault.Part> parts, String well) implements Check {
    @Override
    public Outcome look(Facts facts) {
        KernelFacts kernel = facts.the(KernelFacts.class);
        if (kernel.unused().isPresent()) {
            return Outcome.notApplicable(kernel.unused().get());
        }
        List<Evidence> evidence = kernel.faults().stream()
                .filter(fault -> parts.contains(fault.part()))
                .map(fault -> new Evidence(
                        fault.owner().map(OwnerKey::toString).orElse("the node"), fault.what(), "kernel", facts.now()))
                .toList();
        return Outcome.unless(
                evidence, about.worst(), about.title() + ": " + Say.count(evidence.size(), "fault"), well);
    }
}

package io.enipam.diagnostics.doctor.fact;

import io.enipam.datapath.KernelDatapath.KernelFault;
import java.util.List;
import java.util.Optional;

/**
 * What is not as it should be in the kernel, in two looks.
 *
 * @param unused why this daemon connects no pods in the kernel; empty if it does
 * @param faults none if all is well
 */
public record KernelFacts(Optional<String> unused, List<KernelFault> faults) {
    public KernelFacts {
        faults = List.copyOf(faults);
    }
}

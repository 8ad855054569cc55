package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ReadinessFacts;

/** A node on which this daemon is to connect pods and cannot. */
final class KernelUnusable implements Check {
    private static final About ABOUT = new About(
            "kernel-unusable",
            "The daemon cannot connect any pod",
            Severity.CRITICAL,
            "What it takes to change the kernel: CAP_NET_ADMIN and CAP_SYS_ADMIN, iproute2 and util-linux, and a sysfs"
                    + " of the daemon's own network namespace.",
            "Every ADD is refused with code 104, and a DEL of a pod that was connected before: the node is not ready.",
            "mend what the finding names; the daemon notices within seconds. Where another plugin connects the pods, set"
                    + " datapath.use to off");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        return facts.the(ReadinessFacts.class)
                .verdict()
                .of(AddReadiness.Requirement.KERNEL)
                .map(why -> Outcome.of(Severity.CRITICAL, why, new Evidence("the node", why, "kernel", facts.now())))
                .orElseGet(() -> Outcome.ok("nothing keeps this daemon from connecting pods"));
    }
}

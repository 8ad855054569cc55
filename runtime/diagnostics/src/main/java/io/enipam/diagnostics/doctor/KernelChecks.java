package io.enipam.diagnostics.doctor;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.datapath.KernelDatapath.KernelFault.Part;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.HostProbes.Conntrack;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.diagnostics.readiness.AddReadiness;
import io.enipam.engine.model.OwnerKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What pods have in the kernel, and its table of connections. */
public final class KernelChecks {

    private KernelChecks() {}

    static List<Check> all() {
        return List.of(
                kernel(
                        "kernel-link-broken",
                        "A pod's link or address is missing or wrong",
                        Severity.CRITICAL,
                        "The links and addresses of each connected pod, in its namespace and on the node, in two"
                                + " looks a second apart.",
                        "The pod has a lease and no network.",
                        "kubectl delete pod: its next sandbox is connected anew",
                        Set.of(Part.LINK, Part.ADDRESS),
                        "every connected pod has its links and addresses"),
                kernel(
                                "kernel-rule-foreign",
                                "A link, rule or route is there that no lease explains",
                                Severity.WARN,
                                "What this daemon once made in the kernel and that belongs to no connected pod, in"
                                        + " two looks a second apart.",
                                "Packets of the next pod with that address go astray.",
                                "doctor --repair removes it",
                                Set.of(Part.LEFTOVER),
                                "nothing is left of pods that are gone")
                        .mendedBy(Repair.KERNEL),
                kernel(
                                "kernel-rule-missing",
                                "A rule, route or neighbour of a pod is missing",
                                Severity.CRITICAL,
                                "The rules, route tables and neighbours of each connected pod: 512 to the pod, 2048"
                                        + " from it, the default of its ENI's table; in two looks a second apart.",
                                "The pod has an address and no network.",
                                "doctor --repair sets it again",
                                Set.of(Part.RULE, Part.ROUTE, Part.NEIGHBOUR),
                                "every connected pod has its rules, routes and neighbours")
                        .mendedBy(Repair.KERNEL),
                kernel(
                                "kernel-setting-wrong",
                                "A sysctl or a bandwidth limit of a pod is not as it was set",
                                Severity.WARN,
                                "rp_filter, forwarding and the queues of each connected pod, in two looks a second"
                                        + " apart.",
                                "Packets are dropped by the reverse path filter, or a pod takes more bandwidth than"
                                        + " it may.",
                                "doctor --repair sets the sysctls again; a queue comes back with the pod's next"
                                        + " sandbox",
                                Set.of(Part.SYSCTL, Part.QDISC),
                                "sysctls and limits are as they were set")
                        .mendedBy(Repair.KERNEL),
                new Check(
                        "kernel-unusable",
                        "The daemon cannot connect any pod",
                        Severity.CRITICAL,
                        "What it takes to change the kernel: CAP_NET_ADMIN and CAP_SYS_ADMIN, iproute2 and"
                                + " util-linux, and a sysfs of the daemon's own network namespace.",
                        "Every ADD is refused with code 104, and a DEL of a pod that was connected before: the node"
                                + " is not ready.",
                        "mend what the finding names; the daemon notices within seconds. Where another plugin"
                                + " connects the pods, set datapath.use to off",
                        KernelChecks::kernelUnusable),
                new Check(
                        "conntrack-full",
                        "The table of connections is nearly full",
                        Severity.CRITICAL,
                        "Entries of conntrack against its limit. WARN from 80 percent on, CRITICAL from 95.",
                        "When it is full the kernel drops packets of new connections, of every pod.",
                        "raise net.netfilter.nf_conntrack_max; conntrack -S",
                        KernelChecks::conntrackFull),
                new Check(
                        "cool-down-short",
                        "The kernel remembers connections longer than the cool-down",
                        Severity.INFO,
                        "pool.cool_down against the time-outs of conntrack for connections that are over"
                                + " (tcp_timeout_time_wait, close_wait, fin_wait, udp_timeout, udp_timeout_stream,"
                                + " icmp). INFO for each that is longer.",
                        "A pod that gets an address within that time may see packets of the connections of the one"
                                + " before.",
                        "raise pool.cool_down in enipam.yaml above the longest, or lower the sysctls",
                        KernelChecks::coolDownShort));
    }

    private static Outcome kernelUnusable(Facts facts) {
        return facts.the(AddReadiness.Result.class)
                .of(AddReadiness.Requirement.KERNEL)
                .map(why -> Outcome.of(Severity.CRITICAL, why, new Evidence("the node", why, "kernel", facts.now())))
                .orElseGet(() -> Outcome.ok("nothing keeps this daemon from connecting pods"));
    }

    private static Outcome conntrackFull(Facts facts) {
        Conntrack.Entries entries = facts.the(Conntrack.class)
                .entries()
                .orElseThrow(() -> new MissingFact("the kernel does not tell how many connections it tracks"));
        int used = Figures.percent(entries.count(), entries.most());
        String figures = entries.count() + " of " + entries.most() + " connections are tracked";
        return used < 80
                ? Outcome.ok(figures)
                : Outcome.of(
                        used < 95 ? Severity.WARN : Severity.CRITICAL,
                        figures,
                        new Evidence("conntrack", figures, "kernel"));
    }

    private static Outcome coolDownShort(Facts facts) {
        Duration coolDown = facts.the(EngineState.class).config().coolDown();
        Map<String, Duration> timeouts =
                new TreeMap<>(facts.the(Conntrack.class).timeouts());
        return Outcome.each(
                timeouts.entrySet().stream()
                        .filter(timeout -> timeout.getValue().compareTo(coolDown) > 0)
                        .map(timeout -> new Evidence(
                                "net.netfilter." + timeout.getKey(), Figures.span(timeout.getValue()), "kernel")),
                Severity.INFO,
                n -> "an address is lent again after " + Figures.span(coolDown) + ", and conntrack remembers longer",
                "the cool-down of " + Figures.span(coolDown) + " is longer than conntrack remembers");
    }

    /** A check of some parts of what connected pods have in the kernel. */
    private static Check kernel(
            String id,
            String title,
            Severity severity,
            String looksAt,
            String why,
            String fix,
            Set<Part> parts,
            String well) {
        return new Check(id, title, severity, looksAt, why, fix, facts -> {
            KernelFaults kernel = facts.the(KernelFaults.class);
            if (kernel.unused().isPresent()) {
                return Outcome.notApplicable(kernel.unused().get());
            }
            return Outcome.each(
                    kernel.faults().stream()
                            .filter(fault -> parts.contains(fault.part()))
                            .map(fault -> new Evidence(
                                    fault.owner().map(OwnerKey::toString).orElse("the node"),
                                    fault.what(),
                                    "kernel",
                                    facts.now())),
                    severity,
                    n -> title + ": " + Figures.count(n, "fault"),
                    well);
        });
    }

    /**
     * What is not as it should be in the kernel, in two looks.
     *
     * @param unused why this daemon connects no pods in the kernel; empty if it does
     * @param faults none if all is well
     */
    public record KernelFaults(Optional<String> unused, List<KernelFault> faults) {
        public KernelFaults {
            faults = List.copyOf(faults);
        }
    }
}

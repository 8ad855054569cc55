package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Figures.span;
import static io.enipam.diagnostics.doctor.Outcome.Severity.CRITICAL;
import static io.enipam.diagnostics.doctor.Outcome.Severity.INFO;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;
import static io.enipam.diagnostics.doctor.Outcome.filled;
import static io.enipam.diagnostics.doctor.Outcome.found;
import static io.enipam.diagnostics.doctor.Outcome.notApplicable;
import static io.enipam.diagnostics.doctor.Outcome.ok;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.datapath.KernelDatapath.KernelFault.Part;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.HostProbes.Conntrack;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.engine.model.OwnerKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** What pods have in the kernel, and its table of connections. */
public final class KernelChecks {
    static final List<Check> ALL = List.of(
            Check.of("kernel-link-broken", CRITICAL, "A pod's link or address is missing or wrong")
                    .reads("The links and addresses of each connected pod, in its namespace and on the node, in two"
                            + " looks a second apart.")
                    .because("The pod has a lease and no network.")
                    .advice("kubectl delete pod: its next sandbox is connected anew")
                    .by(broken("every connected pod has its links and addresses", Part.LINK, Part.ADDRESS)),
            Check.of("kernel-rule-foreign", WARN, "A link, rule or route is there that no lease explains")
                    .reads("What this daemon once made in the kernel and that belongs to no connected pod, in two looks"
                            + " a second apart.")
                    .because("Packets of the next pod with that address go astray.")
                    .advice("doctor --repair removes it")
                    .repairedBy(Repair.KERNEL)
                    .by(broken("nothing is left of pods that are gone", Part.LEFTOVER)),
            Check.of("kernel-rule-missing", CRITICAL, "A rule, route or neighbour of a pod is missing")
                    .reads("The rules, route tables and neighbours of each connected pod: 512 to the pod, 2048 from it,"
                            + " the default of its ENI's table; in two looks a second apart.")
                    .because("The pod has an address and no network.")
                    .advice("doctor --repair sets it again")
                    .repairedBy(Repair.KERNEL)
                    .by(broken(
                            "every connected pod has its rules, routes and neighbours",
                            Part.RULE,
                            Part.ROUTE,
                            Part.NEIGHBOUR)),
            Check.of("kernel-setting-wrong", WARN, "A sysctl or a bandwidth limit of a pod is not as it was set")
                    .reads("rp_filter, forwarding and the queues of each connected pod, in two looks a second apart.")
                    .because("Packets are dropped by the reverse path filter, or a pod takes more bandwidth than it"
                            + " may.")
                    .advice("doctor --repair sets the sysctls again; a queue comes back with the pod's next sandbox")
                    .repairedBy(Repair.KERNEL)
                    .by(broken("sysctls and limits are as they were set", Part.SYSCTL, Part.QDISC)),
            Check.of("kernel-unusable", CRITICAL, "The daemon cannot connect any pod")
                    .reads("What it takes to change the kernel: CAP_NET_ADMIN and CAP_SYS_ADMIN, iproute2 and"
                            + " util-linux, and a sysfs of the daemon's own network namespace.")
                    .because("Every ADD is refused with code 104, and a DEL of a pod that was connected before: the"
                            + " node is not ready.")
                    .advice("mend what the finding names; the daemon notices within seconds. Where another plugin"
                            + " connects the pods, set datapath.use to off")
                    .byTroubles("nothing keeps this daemon from connecting pods"),
            Check.of("kernel-netlink-unused", WARN, "Pods are connected by iproute2, a process for each change")
                    .reads("Whether the process enipam-netlink runs, or will at the next pod.")
                    .because("Pods are connected all the same, and each waits for the start of processes: an ADD takes"
                            + " two to three times as long, a burst of pods more.")
                    .advice("where the program is not there, take the image, or install a C compiler (gcc, libc6-dev)"
                            + " and build again; where it ends, the log says why")
                    .by(KernelChecks::netlinkUnused),
            Check.of("conntrack-full", CRITICAL, "The table of connections is nearly full")
                    .reads("Entries of conntrack against its limit. WARN from 80 percent on, CRITICAL from 95.")
                    .because("When it is full the kernel drops packets of new connections, of every pod.")
                    .advice("raise net.netfilter.nf_conntrack_max; conntrack -S")
                    .by(KernelChecks::conntrackFull),
            Check.of("cool-down-short", INFO, "The kernel remembers connections longer than the cool-down")
                    .reads("pool.cool_down against the time-outs of conntrack for connections that are over"
                            + " (tcp_timeout_time_wait, close_wait, fin_wait, udp_timeout, udp_timeout_stream, icmp)."
                            + " INFO for each that is longer.")
                    .because("A pod that gets an address within that time may see packets of the connections of the one"
                            + " before.")
                    .advice("raise pool.cool_down in enipam.yaml above the longest, or lower the sysctls")
                    .by(KernelChecks::coolDownShort));

    private KernelChecks() {}

    private static Outcome netlinkUnused(Facts facts) {
        KernelFaults kernel = facts.the(KernelFaults.class);
        if (kernel.unused().isPresent()) {
            return notApplicable(kernel.unused().get());
        }
        return kernel.netlinkUnused()
                .map(why -> found(WARN, why, new Evidence("the node", why, "kernel", facts.now())))
                .orElseGet(() -> ok("pods are connected by enipam-netlink"));
    }

    private static Outcome conntrackFull(Facts facts) {
        Conntrack.Entries entries = facts.the(Conntrack.class)
                .entries()
                .orElseThrow(() -> new MissingFact("the kernel does not tell how many connections it tracks"));
        return filled(entries.count(), entries.most(), "connections are tracked", "conntrack", "kernel");
    }

    private static Outcome coolDownShort(Facts facts) {
        Duration coolDown = facts.the(EngineState.class).config().coolDown();
        return each(
                facts.the(Conntrack.class).timeouts().entrySet().stream()
                        .filter(timeout -> timeout.getValue().compareTo(coolDown) > 0)
                        .map(timeout ->
                                new Evidence("net.netfilter." + timeout.getKey(), span(timeout.getValue()), "kernel")),
                INFO,
                n -> "an address is lent again after " + span(coolDown) + ", and conntrack remembers longer",
                "the cool-down of " + span(coolDown) + " is longer than conntrack remembers");
    }

    /** Looks at some parts of what connected pods have in the kernel. */
    private static BiFunction<Check, Facts, Outcome> broken(String well, Part... parts) {
        return (check, facts) -> {
            KernelFaults kernel = facts.the(KernelFaults.class);
            if (kernel.unused().isPresent()) {
                return notApplicable(kernel.unused().get());
            }
            return each(
                    kernel.faults().stream()
                            .filter(fault -> List.of(parts).contains(fault.part()))
                            .map(fault -> new Evidence(
                                    fault.owner().map(OwnerKey::toString).orElse("the node"),
                                    fault.what(),
                                    "kernel",
                                    facts.now())),
                    check.worst(),
                    n -> check.title() + ": " + count(n, "fault"),
                    well);
        };
    }

    /**
     * What is not as it should be in the kernel, in two looks.
     *
     * @param unused why this daemon connects no pods in the kernel; empty if it does
     * @param netlinkUnused why pods are connected by iproute2; empty if they are by {@code enipam-netlink}
     * @param faults none if all is well
     */
    public record KernelFaults(Optional<String> unused, Optional<String> netlinkUnused, List<KernelFault> faults) {}
}

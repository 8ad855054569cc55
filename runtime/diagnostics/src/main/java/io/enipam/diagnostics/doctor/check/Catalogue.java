package io.enipam.diagnostics.doctor.check;

import io.enipam.datapath.KernelDatapath.KernelFault;
import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Repair;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.sources.compare.Difference;
import java.util.List;
import java.util.Set;

/** All checks there are. */
public final class Catalogue {
    private Catalogue() {}

    /** One of each, by id. */
    public static List<Check> all() {
        return List.of(
                new AddFailures(),
                new Differing(
                        new About(
                                "address-duplicate",
                                "One address is in two places",
                                Severity.CRITICAL,
                                "What the database, the pool, the cloud and the kernel say of each address, in looks that last five seconds with nothing under way. CRITICAL for an address that one of them has twice.",
                                "Two pods share one address: packets go to either.",
                                "explain the address; delete the younger of the two pods; db verify"),
                        Set.of(Difference.Kind.ADDRESS_TWICE),
                        Set.of(),
                        "every address is in one place"),
                new AddressFilesDiffer(),
                new Differing(
                        new About(
                                        "address-leaked",
                                        "An ENI has an address that nobody knows",
                                        Severity.WARN,
                                        "The cloud's addresses of this node's ENIs against the pool, in looks that last five seconds.",
                                        "It costs an address of the vSwitch and a place on the ENI that no pod can have.",
                                        "pool sync takes it up or gives it back")
                                .mendedBy(Repair.SYNC),
                        Set.of(Difference.Kind.ADDRESS_UNKNOWN),
                        Set.of("cloud"),
                        "every address of the ENIs is known"),
                new LostAddresses(),
                new ApiBudgetLow(),
                new ApiThrottled(),
                new ApiServerClock(),
                new ApiServerRefusesToken(),
                new ApiServerThrottles(),
                new ApiServerUnreachable(),
                new CapacityReduced(),
                new CertificateExpiring(),
                new ClockJumped(),
                new ClockSkew(),
                new CloudRefuses(),
                new CloudUnreachable(),
                new ClusterEventsLost(),
                new ConfigAdjusted(),
                new ConfigNotFollowed(),
                new ConntrackFull(),
                new CoolDownShort(),
                new KeysExpiring(),
                new DatabaseDamaged(),
                new DatabaseLarge(),
                new DatabaseUnwritable(),
                new Deadlocked(),
                new FilesNearlyUsedUp(),
                new DiskNearlyFull(),
                new DisposalFailing(),
                new EniBacklog(),
                new LeakedEnis(),
                new Differing(
                        new About(
                                        "eni-lost",
                                        "An ENI in use does not serve this node any more",
                                        Severity.CRITICAL,
                                        "The ENIs that the daemon counts on against the cloud's, in looks that last five seconds. CRITICAL for one that is detached, elsewhere or gone.",
                                        "Every pod with an address of it is without network.",
                                        "pool sync, so that nothing of it is lent any more; then delete the pods that have its addresses")
                                .mendedBy(Repair.SYNC),
                        Set.of(Difference.Kind.ENI_NOT_IN_CLOUD),
                        Set.of("cloud"),
                        "every ENI in use is attached"),
                new StuckEnis(),
                new EventsShort(),
                new FactoryAway(),
                new FactoryLeaving(),
                new FileRights(),
                new GarbageCollectionLate(),
                new GcUnconfirmed(),
                new Differing(
                        new About(
                                "hold-differs",
                                "A cool-down or reservation is in one place only",
                                Severity.WARN,
                                "Holds in the database against the pool, in looks that last five seconds.",
                                "After a restart an address may be lent before its time, or not to the pod it is kept for.",
                                "db verify"),
                        Set.of(Difference.Kind.HOLD_DIFFERS),
                        Set.of(),
                        "database and pool keep the same holds"),
                new KernelDiffers(
                        new About(
                                "kernel-link-broken",
                                "A pod's link or address is missing or wrong",
                                Severity.CRITICAL,
                                "The links and addresses of each connected pod, in its namespace and on the node, in two looks a second apart.",
                                "The pod has a lease and no network.",
                                "kubectl delete pod: its next sandbox is connected anew"),
                        Set.of(KernelFault.Part.LINK, KernelFault.Part.ADDRESS),
                        "every connected pod has its links and addresses"),
                new KernelDiffers(
                        new About(
                                        "kernel-rule-foreign",
                                        "A link, rule or route is there that no lease explains",
                                        Severity.WARN,
                                        "What this daemon once made in the kernel and that belongs to no connected pod, in two looks a second apart.",
                                        "Packets of the next pod with that address go astray.",
                                        "doctor --repair removes it")
                                .mendedBy(Repair.KERNEL),
                        Set.of(KernelFault.Part.LEFTOVER),
                        "nothing is left of pods that are gone"),
                new KernelDiffers(
                        new About(
                                        "kernel-rule-missing",
                                        "A rule, route or neighbour of a pod is missing",
                                        Severity.CRITICAL,
                                        "The rules, route tables and neighbours of each connected pod: 512 to the pod, 2048 from it, the default of its ENI's table; in two looks a second apart.",
                                        "The pod has an address and no network.",
                                        "doctor --repair sets it again")
                                .mendedBy(Repair.KERNEL),
                        Set.of(KernelFault.Part.RULE, KernelFault.Part.ROUTE, KernelFault.Part.NEIGHBOUR),
                        "every connected pod has its rules, routes and neighbours"),
                new KernelDiffers(
                        new About(
                                        "kernel-setting-wrong",
                                        "A sysctl or a bandwidth limit of a pod is not as it was set",
                                        Severity.WARN,
                                        "rp_filter, forwarding and the queues of each connected pod, in two looks a second apart.",
                                        "Packets are dropped by the reverse path filter, or a pod takes more bandwidth than it may.",
                                        "doctor --repair sets the sysctls again; a queue comes back with the pod's next sandbox")
                                .mendedBy(Repair.KERNEL),
                        Set.of(KernelFault.Part.SYSCTL, KernelFault.Part.QDISC),
                        "sysctls and limits are as they were set"),
                new KernelUnusable(),
                new Differing(
                        new About(
                                "lease-contradiction",
                                "Database and pool do not agree who has an address",
                                Severity.CRITICAL,
                                "Leases in the database against what the pool has lent, in looks that last five seconds with no ADD or DEL of the pod under way.",
                                "After a restart the address may be given to a second pod.",
                                "db verify; db backup FILE; restart the daemon, which decides by all sources"),
                        Set.of(Difference.Kind.LEASE_NOT_IN_POOL, Difference.Kind.LENT_WITHOUT_LEASE),
                        Set.of(),
                        "every lease is in the pool and the other way round"),
                new StaleLeases(),
                new MemoryLow(),
                new MetadataUnreachable(),
                new NodeUnknown(),
                new NotServing(),
                new PendingTooLong(),
                new PermissionMissing(),
                new PluginDegraded(),
                new PluginFailed(),
                new Differing(
                        new About(
                                "pod-address-differs",
                                "The cluster tells another address of a pod than its lease",
                                Severity.WARN,
                                "Leases against the addresses in the pods' status, in looks that last five seconds.",
                                "Services send packets to an address that is not the pod's.",
                                "explain the pod; kubectl delete pod"),
                        Set.of(Difference.Kind.POD_TELLS_ANOTHER),
                        Set.of("API server"),
                        "the cluster tells the same addresses"),
                new Differing(
                        new About(
                                "pod-without-lease",
                                "A pod has an address that nobody here gave it",
                                Severity.WARN,
                                "Pods of this node with an address in their status, those that have finished or are being deleted left out, against the leases, in looks that last five seconds.",
                                "Its address may be lent to another pod, and both would have it; or it was there before this daemon, and its network is another one's.",
                                "explain the pod; kubectl delete pod: its next sandbox gets an address from here"),
                        Set.of(Difference.Kind.POD_WITHOUT_LEASE),
                        Set.of("API server"),
                        "every pod has its address from here"),
                new PodsUnknown(),
                new PolicyFallback(),
                new PoolDrained(),
                new PoolExhausted(),
                new PoolStarving(),
                new ReconcileLate(),
                new RestartStorm(),
                new Differing(
                        new About(
                                "sandbox-disconnected",
                                "A lease whose pod is not connected",
                                Severity.CRITICAL,
                                "Leases against the sandboxes that the kernel is connected to, in looks that last five seconds.",
                                "The pod has an address and no network.",
                                "kubectl delete pod: its next sandbox is connected anew"),
                        Set.of(Difference.Kind.LEASE_NOT_CONNECTED),
                        Set.of("kernel"),
                        "every lease is connected"),
                new Differing(
                        new About(
                                "sandbox-stray",
                                "The kernel is connected to a sandbox without a lease",
                                Severity.WARN,
                                "Sandboxes that the kernel is connected to against the leases, in looks that last five seconds.",
                                "Its address may be lent to another pod, and both would have it.",
                                "cni del --pod NS/NAME --container ID"),
                        Set.of(Difference.Kind.CONNECTED_WITHOUT_LEASE),
                        Set.of("kernel"),
                        "every connected sandbox has its lease"),
                new StockLow(),
                new SupplyFailing(),
                new VersionSkew(),
                new VSwitchLow(),
                new WatchStale(),
                new WatermarksUnmet());
    }
}

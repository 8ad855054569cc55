package io.enipam.daemon.doctor.check;

import io.enipam.daemon.doctor.About;
import io.enipam.daemon.doctor.Check;
import io.enipam.daemon.doctor.Severity;
import java.util.List;

/** All checks there are. */
public final class Catalogue {
    private Catalogue() {}

    /** One of each, by id. */
    public static List<Check> all() {
        return List.of(
                new ApiBudgetLow(),
                new ApiThrottled(),
                new NotInThisBuild(
                        new About(
                                "apiserver-unreachable",
                                "The API server does not answer",
                                Severity.CRITICAL,
                                "The connection to the API server.",
                                "Pods cannot be looked up, and garbage collection cannot run.",
                                ""),
                        NotInThisBuild.NO_API_SERVER),
                new CapacityReduced(),
                new NotInThisBuild(
                        new About(
                                "certificate-expiring",
                                "A token or certificate to the API server ends soon",
                                Severity.CRITICAL,
                                "The token and the certificates of the connection to the API server.",
                                "Without them the API server refuses every call.",
                                ""),
                        NotInThisBuild.NO_API_SERVER),
                new ClockJumped(),
                new ClockSkew(),
                new CloudRefuses(),
                new CloudUnreachable(),
                new ConfigAdjusted(),
                new ConntrackFull(),
                new CoolDownShort(),
                new KeysExpiring(),
                new DatabaseDamaged(),
                new DatabaseLarge(),
                new DatabaseUnwritable(),
                new Deadlocked(),
                new FilesNearlyUsedUp(),
                new DiskNearlyFull(),
                new EniBacklog(),
                new LeakedEnis(),
                new StuckEnis(),
                new EventsShort(),
                new FactoryAway(),
                new FactoryLeaving(),
                new FileRights(),
                new GarbageCollectionLate(),
                new NotInThisBuild(
                        new About(
                                "kernel-address-conflict",
                                "An address is configured twice in the kernel",
                                Severity.CRITICAL,
                                "Addresses and routes of the host side against the leases.",
                                "Two pods with one address: packets go to either.",
                                ""),
                        NotInThisBuild.NO_DATAPATH),
                new NotInThisBuild(
                        new About(
                                "kernel-nic-renamed",
                                "A NIC was renamed",
                                Severity.CRITICAL,
                                "The links of the ENIs, matched by MAC address, against the names in rules and routes.",
                                "After a reboot the rules point at another NIC.",
                                ""),
                        NotInThisBuild.NO_DATAPATH),
                new NotInThisBuild(
                        new About(
                                "kernel-rule-foreign",
                                "A rule or route is there that no lease explains",
                                Severity.WARN,
                                "Rules and routes of our priorities and tables that belong to no lease.",
                                "Packets of the next pod with that address go astray.",
                                ""),
                        NotInThisBuild.NO_DATAPATH),
                new NotInThisBuild(
                        new About(
                                "kernel-rule-missing",
                                "A rule or route of a pod is missing",
                                Severity.CRITICAL,
                                "The rules and route tables of each lease: 512 to the pod, 2048 from it, the default of its table.",
                                "The pod has an address and no network.",
                                ""),
                        NotInThisBuild.NO_DATAPATH),
                new StaleLeases(),
                new MemoryLow(),
                new MetadataUnreachable(),
                new NotServing(),
                new PendingTooLong(),
                new PluginDegraded(),
                new PluginFailed(),
                new PodsUnknown(),
                new PolicyFallback(),
                new PoolExhausted(),
                new PoolStarving(),
                new ReconcileLate(),
                new RestartStorm(),
                new StockLow(),
                new VersionSkew(),
                new VSwitchLow(),
                new WatermarksUnmet());
    }
}

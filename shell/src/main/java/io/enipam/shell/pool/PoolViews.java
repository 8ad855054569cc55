package io.enipam.shell.pool;

import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.StreamingTable;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.Lease;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.Resource;
import java.util.List;

/** The pool: its figures, what is lent, what is not. */
public final class PoolViews {
    private PoolViews() {}

    public static List<String> pool(Pool pool, RenderContext look) {
        PoolCounts counts = pool.getCounts();
        Table table = Table.details()
                .detail("kind", pool.getKind())
                .detail("policy", pool.getPolicy())
                .detail("capacity", Integer.toString(pool.getCapacity()))
                .detail("watermarks", "keeps " + pool.getMinIdle() + " to " + pool.getMaxIdle() + " idle")
                .detail("in use", Integer.toString(counts.getInUse()))
                .detail("idle", Integer.toString(counts.getIdle()))
                .detail("cooling", Integer.toString(counts.getCooling()))
                .detail("reserved", Integer.toString(counts.getReserved()))
                .detail("creating", Integer.toString(counts.getCreating()))
                .detail("disposing", Integer.toString(counts.getDisposing()))
                .detail("invalid", Integer.toString(counts.getInvalid()))
                .detail("waiting", Integer.toString(pool.getWaiting()));
        if (pool.hasOrder()) {
            table.detail("told", new Table.Cell(CapacityOverrideViews.describe(pool, look), Tone.WAIT));
        }
        return table.lines(look.palette());
    }

    /** What is not lent. */
    public static final TableListing<PoolEntry> IDLE = TableListing.<PoolEntry>of(
                    "entries", entry -> entry.getResource().getId())
            .none("nothing is idle: the next pod waits for a new address", "; see: pool show")
            .text("address", "ADDRESS", entry -> addresses(entry.getResource()))
            .state("state", "STATE", PoolEntry::getState)
            .by(
                    "for",
                    "FOR",
                    entry -> -TimeFormat.millis(entry.getSince()),
                    (entry, look) -> Table.cell(entry.hasSince() ? TimeFormat.age(entry.getSince(), look.now()) : ""))
            .by(
                    "left",
                    "LEFT",
                    entry -> TimeFormat.millis(entry.getUntil()),
                    (entry, look) -> Table.cell(entry.hasUntil() ? TimeFormat.left(entry.getUntil(), look.now()) : ""))
            .text("pod", "LAST POD", PoolEntry::getPod)
            .text("eni", "ENI", entry -> eni(entry.getResource()))
            .text("id", "ID", entry -> entry.getResource().getId())
            .wideText("kind", "KIND", entry -> entry.getResource().getKind())
            .wideText("mac", "MAC", entry -> entry.getResource().getAttributesOrDefault("mac", ""))
            .wideText("vswitch", "VSWITCH", entry -> entry.getResource().getAttributesOrDefault("vswitch", ""))
            .build();

    /** What is lent, and to whom; its name is the pod's. */
    public static final TableListing<Lease> IN_USE = TableListing.<Lease>of("leases", Lease::getPod)
            .none("no address is in use", "; try: cni add --pod default/web-0")
            .text("pod", "POD", Lease::getPod)
            .text("address", "ADDRESS", lease -> addresses(lease.getResource()))
            .state("state", "STATE", Lease::getState)
            .text("eni", "ENI", lease -> eni(lease.getResource()))
            .shown(
                    "container",
                    "CONTAINER",
                    lease -> lease.getOwner().getContainer(),
                    (lease, look) -> Table.cell(container(lease.getOwner().getContainer())))
            .text("ifname", "IFNAME", lease -> lease.getOwner().getIfname())
            .by(
                    "age",
                    "AGE",
                    lease -> -TimeFormat.millis(lease.getSince()),
                    (lease, look) -> Table.cell(lease.hasSince() ? TimeFormat.age(lease.getSince(), look.now()) : ""))
            .wideText("uid", "UID", Lease::getPodUid)
            .wideText("network", "NETWORK", lease -> lease.getOwner().getNetwork())
            .wideText("id", "ID", lease -> lease.getResource().getId())
            .wideText("mac", "MAC", lease -> lease.getResource().getAttributesOrDefault("mac", ""))
            .wideText("vswitch", "VSWITCH", lease -> lease.getResource().getAttributesOrDefault("vswitch", ""))
            .build();

    /** The addresses of one pod, as part of a larger picture. */
    public static List<String> inUse(List<Lease> leases, RenderContext look) {
        return new StreamingTable<>(IN_USE.columns(false), 0).lines(leases, look);
    }

    public static String addresses(Resource resource) {
        return String.join(", ", resource.getAddressesList());
    }

    /** The ENI an address is on; a whole ENI is its own. */
    public static String eni(Resource resource) {
        return resource.getKind().equals("eni") ? resource.getId() : resource.getParent();
    }

    /** A container id as container runtimes show it: its first 12 characters if it is a full 64. */
    public static String container(String id) {
        return id.length() == 64 ? id.substring(0, 12) : id;
    }
}

package io.enipam.shell.render;

import io.enipam.v1.Lease;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.Resource;
import java.util.List;

/** The pool: its figures, what is lent, what is not. */
public final class PoolViews {
    private PoolViews() {}

    public static List<String> pool(Pool pool, Look look) {
        PoolCounts counts = pool.getCounts();
        return Table.details()
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
                .detail("waiting", Integer.toString(pool.getWaiting()))
                .lines(look.palette());
    }

    public static List<String> idle(List<PoolEntry> entries, Look look) {
        if (entries.isEmpty()) {
            return List.of(look.advising("nothing is idle: the next pod waits for a new address", "; see: pool show"));
        }
        Table table = Table.headed("ADDRESS", "STATE", "FOR", "LEFT", "LAST POD", "ENI", "ID");
        for (PoolEntry entry : entries) {
            Resource resource = entry.getResource();
            table.row(
                    Table.cell(addresses(resource)),
                    Table.state(entry.getState()),
                    Table.cell(entry.hasSince() ? Times.age(entry.getSince(), look.now()) : ""),
                    Table.cell(entry.hasUntil() ? Times.left(entry.getUntil(), look.now()) : ""),
                    Table.cell(entry.getPod()),
                    Table.cell(eni(resource)),
                    Table.cell(resource.getId()));
        }
        return table.lines(look.palette());
    }

    public static List<String> inUse(List<Lease> leases, Look look) {
        if (leases.isEmpty()) {
            return List.of(look.advising("no address is in use", "; try: cni add --pod default/web-0"));
        }
        Table table = Table.headed("POD", "ADDRESS", "STATE", "ENI", "CONTAINER", "IFNAME", "AGE");
        for (Lease lease : leases) {
            table.row(
                    Table.cell(lease.getPod()),
                    Table.cell(addresses(lease.getResource())),
                    Table.state(lease.getState()),
                    Table.cell(eni(lease.getResource())),
                    Table.cell(container(lease.getOwner().getContainer())),
                    Table.cell(lease.getOwner().getIfname()),
                    Table.cell(lease.hasSince() ? Times.age(lease.getSince(), look.now()) : ""));
        }
        return table.lines(look.palette());
    }

    static String addresses(Resource resource) {
        return String.join(", ", resource.getAddressesList());
    }

    /** The ENI an address is on; a whole ENI is its own. */
    static String eni(Resource resource) {
        return resource.getKind().equals("eni") ? resource.getId() : resource.getParent();
    }

    /** A container id as container runtimes show it: its first 12 characters if it is a full 64. */
    static String container(String id) {
        return id.length() == 64 ? id.substring(0, 12) : id;
    }
}

package io.enipam.shell.pool;

import io.enipam.shell.chart.SampleSeries;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.Tone;
import io.enipam.v1.GetPoolReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.Lease;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.Resource;

/**
 * The columns of the pool's lists. They are apart from {@link PoolViews} since each column is a lambda, which takes a start
 * of the program some time to link, and most commands need none of them.
 */
final class PoolListings {
    private PoolListings() {}

    /** The figures of one node's pool, as a row among those of other nodes. */
    static final TableListing<GetPoolReply> ROW = TableListing.<GetPoolReply>of(
                    "nodes", reply -> reply.getPool().getKind())
            .none("no node answered", "")
            .text("policy", "POLICY", reply -> reply.getPool().getPolicy())
            .text("watermarks", "KEEPS", PoolListings::watermarks)
            .number("capacity", "CAPACITY", reply -> reply.getPool().getCapacity())
            .number("in-use", "IN USE", reply -> counts(reply).getInUse())
            .number("idle", "IDLE", reply -> counts(reply).getIdle())
            .number("cooling", "COOLING", reply -> counts(reply).getCooling())
            .number("reserved", "RESERVED", reply -> counts(reply).getReserved())
            .number("creating", "CREATING", reply -> counts(reply).getCreating())
            .number("disposing", "DISPOSING", reply -> counts(reply).getDisposing())
            .number("invalid", "INVALID", reply -> counts(reply).getInvalid())
            .number("waiting", "WAITING", reply -> reply.getPool().getWaiting())
            .build();

    private static PoolCounts counts(GetPoolReply reply) {
        return reply.getPool().getCounts();
    }

    private static String watermarks(GetPoolReply reply) {
        return reply.getPool().getMinIdle() + "-" + reply.getPool().getMaxIdle();
    }

    /** The addresses that no pod has. */
    static final TableListing<PoolEntry> IDLE = TableListing.<PoolEntry>of(
                    "entries", entry -> entry.getResource().getId())
            .none("nothing is idle: the next pod waits for a new address", "; see: pool show")
            .text("address", "ADDRESS", entry -> PoolViews.addresses(entry.getResource()))
            .state("state", "STATE", PoolEntry::getState)
            .age("for", "FOR", PoolEntry::getSince)
            .left("left", "LEFT", PoolEntry::getUntil, Tone.PLAIN)
            .text("pod", "LAST POD", PoolEntry::getPod)
            .text("eni", "ENI", entry -> PoolViews.eni(entry.getResource()))
            .text("id", "ID", entry -> entry.getResource().getId())
            .wideText("kind", "KIND", entry -> entry.getResource().getKind())
            .wideText("mac", "MAC", entry -> attribute(entry.getResource(), "mac"))
            .wideText("vswitch", "VSWITCH", entry -> attribute(entry.getResource(), "vswitch"))
            .build();

    static final TableListing<PoolEntry> WAS_IDLE = IDLE.past("no address was idle");

    /** The addresses that pods have; the name of a lease is the pod's. */
    static final TableListing<Lease> IN_USE = TableListing.<Lease>of("leases", Lease::getPod)
            .none("no address is in use", "; try: cni add --pod default/web-0")
            .text("pod", "POD", Lease::getPod)
            .text("address", "ADDRESS", lease -> PoolViews.addresses(lease.getResource()))
            .state("state", "STATE", Lease::getState)
            .text("eni", "ENI", lease -> PoolViews.eni(lease.getResource()))
            .shown("container", "CONTAINER", lease -> lease.getOwner().getContainer(), PoolListings::container)
            .text("ifname", "IFNAME", lease -> lease.getOwner().getIfname())
            .age("age", "AGE", Lease::getSince)
            .wideText("uid", "UID", Lease::getPodUid)
            .wideText("network", "NETWORK", lease -> lease.getOwner().getNetwork())
            .wideText("id", "ID", lease -> lease.getResource().getId())
            .wideText("mac", "MAC", lease -> attribute(lease.getResource(), "mac"))
            .wideText("vswitch", "VSWITCH", lease -> attribute(lease.getResource(), "vswitch"))
            .build();

    static final TableListing<Lease> WAS_IN_USE = IN_USE.past("no address was in use");

    private static Table.Cell container(Lease lease, RenderContext look) {
        return Table.cell(PoolViews.container(lease.getOwner().getContainer()));
    }

    private static String attribute(Resource resource, String name) {
        return resource.getAttributesOrDefault(name, "");
    }

    /** The pool's history, oldest sample first; the name of a sample is its number. */
    static final TableListing<HistorySample> HISTORY = TableListing.<HistorySample>of(
                    "samples", sample -> Long.toString(sample.getSequence()))
            .none("no interval is over yet: one takes a few seconds", "")
            .clock("time", "TIME", HistorySample::getAt, Tone.PLAIN)
            .number("idle", "IDLE", sample -> sample.getCounts().getIdle())
            .number("inuse", "IN USE", sample -> sample.getCounts().getInUse())
            .number("cooling", "COOLING", sample -> sample.getCounts().getCooling())
            .number("reserved", "RESERVED", sample -> sample.getCounts().getReserved())
            .number("creating", "CREATING", sample -> sample.getCounts().getCreating())
            .number("waiting", "WAITING", HistorySample::getWaiting)
            .number("add", "ADD", sample -> sample.getAdd().getDone())
            .number("del", "DEL", sample -> sample.getDel().getDone())
            .count("failed", "FAILED", SampleSeries::failed, Tone.BAD)
            .took("p50", "ADD P50", sample -> sample.getAdd().getP50(), PoolListings::added)
            .took("p99", "P99", sample -> sample.getAdd().getP99(), PoolListings::added)
            .number("calls", "CALLS", sample -> sample.getCloud().getCalls())
            .count("throttled", "THROTTLED", sample -> sample.getCloud().getThrottled(), Tone.WAIT)
            .wideNumber("disposing", "DISPOSING", sample -> sample.getCounts().getDisposing())
            .wideNumber("invalid", "INVALID", sample -> sample.getCounts().getInvalid())
            .wideNumber("capacity", "CAPACITY", HistorySample::getCapacity)
            .wideText("watermarks", "WATERMARKS", sample -> sample.getMinIdle() + "-" + sample.getMaxIdle())
            .build();

    private static boolean added(HistorySample sample) {
        return sample.getAdd().getDone() + sample.getAdd().getFailed() > 0;
    }
}

package io.enipam.shell.pool;

import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.GetPoolReply;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.Pool;

/** What of one node is a page, as a row among those of other nodes. */
public final class FleetRowViews {
    private FleetRowViews() {}

    /** The daemon's state. */
    public static final TableListing<GetStatusReply> STATUS = TableListing.<GetStatusReply>of(
                    "nodes", GetStatusReply::getNode)
            .none("no node answered", "")
            .state("phase", "PHASE", GetStatusReply::getPhase)
            .number("in-use", "IN USE", status -> status.getPool().getCounts().getInUse())
            .number("idle", "IDLE", status -> status.getPool().getCounts().getIdle())
            .number("capacity", "CAPACITY", status -> status.getPool().getCapacity())
            .number("waiting", "WAITING", status -> status.getPool().getWaiting())
            .number("enis", "ENIS", GetStatusReply::getEnis)
            .wideText("cloud", "CLOUD", GetStatusReply::getCloud)
            .text("version", "VERSION", GetStatusReply::getVersion)
            .by(
                    "up",
                    "UP",
                    status -> TimeFormat.duration(status.getUptime()).toMillis(),
                    (status, look) -> Table.cell(TimeFormat.span(TimeFormat.duration(status.getUptime()))))
            .shown(
                    "trouble",
                    "TROUBLE",
                    FleetRowViews::trouble,
                    (status, look) -> new Table.Cell(
                            trouble(status).isEmpty() ? "-" : trouble(status),
                            trouble(status).isEmpty() ? Tone.LABEL : Tone.BAD))
            .build();

    /** Which daemons run. */
    public static final TableListing<GetVersionReply> VERSION = TableListing.<GetVersionReply>of(
                    "nodes", GetVersionReply::getVersion)
            .none("no node answered", "")
            .text("enipamd", "ENIPAMD", GetVersionReply::getVersion)
            .text("java", "JAVA", GetVersionReply::getJava)
            .text("os", "OS", GetVersionReply::getOs)
            .build();

    /** The pool's figures. */
    public static final TableListing<GetPoolReply> POOL = TableListing.<GetPoolReply>of(
                    "nodes", reply -> reply.getPool().getKind())
            .none("no node answered", "")
            .text("policy", "POLICY", reply -> reply.getPool().getPolicy())
            .shown("watermarks", "KEEPS", FleetRowViews::watermarks, (reply, look) -> Table.cell(watermarks(reply)))
            .number("capacity", "CAPACITY", reply -> reply.getPool().getCapacity())
            .number("in-use", "IN USE", reply -> reply.getPool().getCounts().getInUse())
            .number("idle", "IDLE", reply -> reply.getPool().getCounts().getIdle())
            .number("cooling", "COOLING", reply -> reply.getPool().getCounts().getCooling())
            .number("reserved", "RESERVED", reply -> reply.getPool().getCounts().getReserved())
            .number("creating", "CREATING", reply -> reply.getPool().getCounts().getCreating())
            .number(
                    "disposing",
                    "DISPOSING",
                    reply -> reply.getPool().getCounts().getDisposing())
            .number("invalid", "INVALID", reply -> reply.getPool().getCounts().getInvalid())
            .number("waiting", "WAITING", reply -> reply.getPool().getWaiting())
            .build();

    private static String watermarks(GetPoolReply reply) {
        Pool pool = reply.getPool();
        return pool.getMinIdle() + "-" + pool.getMaxIdle();
    }

    /** The first thing that is wrong, and how many more there are. */
    private static String trouble(GetStatusReply status) {
        if (status.getConditionsCount() == 0) {
            return status.getPhase().equals("READY") ? "" : status.getDetail();
        }
        int more = status.getConditionsCount() - 1;
        return status.getConditions(0) + (more == 0 ? "" : " (and " + more + " more)");
    }
}

package io.enipam.shell.status;

import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.gc.GcViews;
import io.enipam.shell.pool.CapacityOverrideViews;
import io.enipam.shell.pool.PoolSyncViews;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import java.util.List;

/** The daemon as a whole: status, version, configuration. */
public final class NodeViews {
    private NodeViews() {}

    public static List<String> status(GetStatusReply status, RenderContext look) {
        Table table = Table.details();
        table.detail("node", status.getNode() + (status.getSandbox() ? " (sandbox)" : ""));
        table.detail("phase", new Table.Cell(phase(status, look), Tone.ofState(status.getPhase())));
        StartupViews.details(status.getStartupList(), table);
        table.detail("pool", status.hasPool() ? pool(status.getPool()) : "not there yet");
        table.detail("ENIs", Integer.toString(status.getEnis()));
        table.detail(
                "last GC",
                status.hasLastGc()
                        ? TimeFormat.age(status.getLastGc().getStartedAt(), look.now()) + " ago, "
                                + GcViews.summary(status.getLastGc())
                        : "none yet");
        table.detail(
                "last sync",
                status.hasLastSync()
                        ? TimeFormat.age(status.getLastSync().getStartedAt(), look.now()) + " ago, "
                                + PoolSyncViews.summary(status.getLastSync())
                        : "none yet");
        if (status.getPool().hasOrder()) {
            table.detail("told", new Table.Cell(CapacityOverrideViews.describe(status.getPool(), look), Tone.WAIT));
        }
        status.getConditionsList().forEach(line -> table.detail("trouble", new Table.Cell(line, Tone.BAD)));
        table.detail("cloud", status.getCloud());
        if (status.hasCluster()) {
            table.detail("cluster", ClusterViews.line(status.getCluster(), look.now()));
        }
        table.detail("root", status.getRoot());
        table.detail(
                "daemon",
                "enipamd " + status.getVersion() + ", pid " + status.getPid() + ", up "
                        + TimeFormat.span(TimeFormat.duration(status.getUptime())));
        if (look.advice() && !well(status)) {
            table.detail("try", "doctor");
        }
        return table.lines(look.palette());
    }

    /** Whether there is nothing here that somebody should look into. */
    private static boolean well(GetStatusReply status) {
        return status.getPhase().equals("READY")
                && status.getConditionsCount() == 0
                && status.getPool().getWaiting() == 0
                && status.getPool().getCounts().getInvalid() == 0;
    }

    private static String phase(GetStatusReply status, RenderContext look) {
        return status.getPhase()
                + (status.hasPhaseSince() ? " for " + TimeFormat.age(status.getPhaseSince(), look.now()) : "")
                + (status.getDetail().isEmpty() ? "" : ": " + status.getDetail());
    }

    /** The pool in one sentence: {@code 2 in use, 5 idle of 14}, and whatever else is not zero. */
    public static String pool(Pool pool) {
        PoolCounts counts = pool.getCounts();
        StringBuilder text = new StringBuilder();
        text.append(counts.getInUse())
                .append(" in use, ")
                .append(counts.getIdle())
                .append(" idle");
        some(text, counts.getCooling(), "cooling");
        some(text, counts.getReserved(), "reserved");
        some(text, counts.getCreating(), "being created");
        some(text, counts.getDisposing(), "being disposed of");
        some(text, counts.getInvalid(), "invalid");
        text.append(" of ").append(pool.getCapacity());
        if (pool.getWaiting() > 0) {
            text.append("; ").append(pool.getWaiting()).append(" waiting");
        }
        return text.toString();
    }

    private static void some(StringBuilder text, int count, String what) {
        if (count > 0) {
            text.append(", ").append(count).append(' ').append(what);
        }
    }

    public static List<String> version(String shell, GetVersionReply daemon, RenderContext look) {
        return Table.details()
                .detail("enipam", shell)
                .detail("enipamd", daemon.getVersion())
                .detail("java", daemon.getJava())
                .detail("os", daemon.getOs())
                .lines(look.palette());
    }

    /** The configuration. */
    public static final TableListing<ConfigEntry> CONFIG = TableListing.<ConfigEntry>of("entries", ConfigEntry::getKey)
            .none("the daemon tells no configuration", "")
            .text("key", "KEY", ConfigEntry::getKey)
            .text("value", "VALUE", ConfigEntry::getValue)
            .text("source", "SOURCE", ConfigEntry::getSource)
            .shown(
                    "meaning",
                    "MEANING",
                    NodeViews::meaning,
                    (entry, look) -> new Table.Cell(meaning(entry), entry.hasPending() ? Tone.WAIT : Tone.LABEL))
            .build();

    private static String meaning(ConfigEntry entry) {
        if (!entry.hasPending()) {
            return entry.getDoc();
        }
        String value = entry.getPending().getValue();
        return "After a restart: " + (value.isEmpty() ? "empty" : value) + ", of "
                + entry.getPending().getSource() + ". " + entry.getDoc();
    }
}

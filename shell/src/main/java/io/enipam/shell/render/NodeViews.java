package io.enipam.shell.render;

import io.enipam.v1.ConfigEntry;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import java.util.List;

/** The daemon as a whole: status, version, configuration. */
public final class NodeViews {
    private NodeViews() {}

    public static List<String> status(GetStatusReply status, Look look) {
        Table table = Table.details();
        table.detail("node", status.getNode() + (status.getSandbox() ? " (sandbox)" : ""));
        table.detail("phase", new Table.Cell(phase(status, look), Tone.ofState(status.getPhase())));
        StartupViews.details(status.getStartupList(), table);
        table.detail("pool", status.hasPool() ? pool(status.getPool()) : "not there yet");
        table.detail("ENIs", Integer.toString(status.getEnis()));
        table.detail(
                "last GC",
                status.hasLastGc()
                        ? Times.age(status.getLastGc().getStartedAt(), look.now()) + " ago, "
                                + GcViews.summary(status.getLastGc())
                        : "none yet");
        table.detail(
                "last sync",
                status.hasLastSync()
                        ? Times.age(status.getLastSync().getStartedAt(), look.now()) + " ago, "
                                + SyncViews.summary(status.getLastSync())
                        : "none yet");
        if (status.getPool().hasOrder()) {
            table.detail("told", new Table.Cell(OrderViews.words(status.getPool(), look), Tone.WAIT));
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
                        + Times.span(Times.duration(status.getUptime())));
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

    private static String phase(GetStatusReply status, Look look) {
        return status.getPhase()
                + (status.hasPhaseSince() ? " for " + Times.age(status.getPhaseSince(), look.now()) : "")
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

    public static List<String> version(String shell, GetVersionReply daemon, Look look) {
        return Table.details()
                .detail("enipam", shell)
                .detail("enipamd", daemon.getVersion())
                .detail("java", daemon.getJava())
                .detail("os", daemon.getOs())
                .lines(look.palette());
    }

    /** The configuration. */
    public static final Listing<ConfigEntry> CONFIG = Listing.<ConfigEntry>of("entries", ConfigEntry::getKey)
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

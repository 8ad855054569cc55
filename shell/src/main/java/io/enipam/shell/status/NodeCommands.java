package io.enipam.shell.status;

import com.google.protobuf.util.Durations;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.gc.GcCommands;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.ClusterStatus;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.GcReport;
import io.enipam.v1.GetConfigReply;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetLogReply;
import io.enipam.v1.GetLogRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.GetVersionRequest;
import io.enipam.v1.LastRun;
import io.enipam.v1.LogRecord;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.StartupStep;
import io.enipam.v1.SyncReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

public final class NodeCommands {
    private NodeCommands() {}

    @Command(name = "status", description = "The daemon's phase, pool, ENIs and last garbage collection.")
    public static final class Status extends DaemonCommand {
        @Override
        public void run() {
            GetStatusReply status = inspect(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
            show(status, NodeCommands::status, reply -> List.of(reply.getNode()), () -> NodeCommands.STATUS_ROW);
        }
    }

    @Command(name = "version", description = "The versions of this shell and of the daemon.")
    public static final class Version extends DaemonCommand {
        @Override
        public void run() {
            GetVersionReply version = inspect(stub -> stub.getVersion(GetVersionRequest.getDefaultInstance()));
            show(version, NodeCommands::version, reply -> List.of(reply.getVersion()), () -> NodeCommands.VERSION_ROW);
        }
    }

    @Command(name = "config", description = "The configuration.", subcommands = ConfigShow.class)
    public static final class Config {}

    @Command(name = "show", description = "The configuration in force, and where each value comes from.")
    public static final class ConfigShow extends ListCommand<ConfigEntry> {
        @Override
        protected Listed<ConfigEntry> listed() {
            return whole(
                    NodeCommands.CONFIG,
                    stub -> stub.getConfig(GetConfigRequest.getDefaultInstance()),
                    GetConfigReply::getEntriesList);
        }
    }

    @Command(name = "log", description = "The end of the daemon's log, as it remembers it: up to 4000 records.")
    public static final class Log extends ListCommand<LogRecord> {
        @Option(
                names = {"--severity", "--level"},
                paramLabel = "LEVEL",
                description = "Only this level and above: DEBUG, INFO, WARN, ERROR.")
        String level = "";

        @Option(
                names = {"-n", "--limit"},
                paramLabel = "N",
                defaultValue = "200",
                description = "No more than this many, the latest; 0 for all. By default 200.")
        int limit;

        @Override
        public List<String> inBundle() {
            return List.of("log --limit 0");
        }

        @Override
        protected Listed<LogRecord> listed() {
            GetLogRequest.Builder request =
                    GetLogRequest.newBuilder().setLevel(level).setLimit(limit);
            return parts(NodeCommands.LOG, stub -> stub.getLog(request.build()), GetLogReply::getRecordsList);
        }
    }

    public static List<String> status(GetStatusReply status, RenderContext look) {
        Pool pool = status.getPool();
        String phase = status.getPhase()
                + (status.hasPhaseSince() ? " for " + look.age(status.getPhaseSince()) : "")
                + (status.getDetail().isEmpty() ? "" : ": " + status.getDetail());
        boolean ofNode = isOfNode(status);
        GcReport gc = status.getLastGc();
        String lastGc = look.age(gc.getStartedAt()) + " ago, " + GcCommands.summary(gc);
        SyncReport sync = status.getLastSync();
        String lastSync = look.age(sync.getStartedAt()) + " ago, " + PoolViews.syncSummary(sync);
        Table table = Table.details()
                .detail(ofNode ? "node" : "replica", status.getNode() + (status.getSandbox() ? " (sandbox)" : ""))
                .detail("phase", phase, Tone.ofState(status.getPhase()));
        TroubleViews.rows(status.getTroublesList(), table, look);
        startup(status.getStartupList(), table);
        if (ofNode) {
            table.detail("pool", status.hasPool() ? pool(pool) : "not there yet")
                    .detail("ENIs", status.getEnis())
                    .detail("last GC", status.hasLastGc() ? lastGc : "none yet")
                    .detail("last sync", status.hasLastSync() ? lastSync : "none yet")
                    .detailIf(pool.hasOrder(), "told", new Table.Cell(PoolViews.override(pool, look), Tone.WAIT));
        } else {
            table.detail("role", role(status) + (status.getLeads() ? "" : ", " + leader(status)));
        }
        table.detailIf(ofNode, "cloud", status.getCloud());
        if (status.hasCluster()) {
            ClusterStatus cluster = status.getCluster();
            String link = cluster.getServer() + ", " + cluster(cluster, look.now());
            table.detail("cluster", link, cluster.getWatching() ? Tone.PLAIN : Tone.BAD);
        }
        String up = TimeFormat.span(TimeFormat.duration(status.getUptime()));
        boolean well = status.getPhase().equals("READY") && status.getTroublesCount() == 0 && pool.getWaiting() == 0;
        return table.detail("root", status.getRoot())
                .detailIf(status.hasLastRun(), "last run", lastRun(status.getLastRun(), look))
                .detail("daemon", "enipamd " + status.getVersion() + ", pid " + status.getPid() + ", up " + up)
                .detailIf(look.advice() && !well, "try", "doctor")
                .lines(look);
    }

    /** Whether the daemon has a pool. */
    public static boolean isOfNode(GetStatusReply status) {
        return !status.getRole().equals("cluster");
    }

    /** {@code cluster leads} or {@code cluster follows}: what a daemon without a pool has in its place. */
    public static String role(GetStatusReply status) {
        return status.getRole() + (status.getLeads() ? " leads" : " follows");
    }

    private static String leader(GetStatusReply status) {
        return status.getLeader().isEmpty() ? "no leader is known" : status.getLeader() + " led last";
    }

    /** The pool in one sentence: {@code 2 in use, 5 idle of 14}, and whatever else is not zero. */
    public static String pool(Pool pool) {
        PoolCounts counts = pool.getCounts();
        List<String> parts = new ArrayList<>(List.of(counts.getInUse() + " in use", counts.getIdle() + " idle"));
        addPositive(parts, counts.getCooling(), "cooling");
        addPositive(parts, counts.getReserved(), "reserved");
        addPositive(parts, counts.getCreating(), "being created");
        addPositive(parts, counts.getDisposing(), "being disposed of");
        addPositive(parts, counts.getInvalid(), "invalid");
        return String.join(", ", parts) + " of " + pool.getCapacity()
                + (pool.getWaiting() > 0 ? "; " + pool.getWaiting() + " waiting" : "");
    }

    private static void addPositive(List<String> parts, long number, String what) {
        if (number > 0) {
            parts.add(number + " " + what);
        }
    }

    /** The start-up: step by step while it lasts, in one line once it is over. */
    static void startup(List<StartupStep> steps, Table table) {
        if (steps.isEmpty()) {
            return;
        }
        if (steps.stream().allMatch(step -> step.getState().equals("DONE"))) {
            table.detail("start-up", startupSummary(steps));
            return;
        }
        String label = "start-up";
        for (StartupStep step : steps) {
            String took = TimeFormat.took(step.getTook());
            String detail = step.getDetail().isEmpty() ? "" : ": " + step.getDetail();
            String what = step.getWords() + ", ";
            switch (step.getState()) {
                case "DONE" -> table.detail(label, what + took + detail, Tone.GOOD);
                case "RUNNING" -> table.detail(label, what + "for " + took + " now" + detail, Tone.WAIT);
                case "HALTED" -> table.detail(label, what + "halted after " + took + detail, Tone.BAD);
                default -> table.detail(label, step.getWords(), Tone.LABEL);
            }
            label = "";
        }
    }

    /** The whole, and what took a tenth of it or more. */
    private static String startupSummary(List<StartupStep> steps) {
        long total = steps.stream()
                .mapToLong(step -> Durations.toNanos(step.getTook()))
                .sum();
        String parts = steps.stream()
                .filter(step -> Durations.toNanos(step.getTook()) * 10 >= total)
                .map(step -> step.getWords() + " " + TimeFormat.took(step.getTook()))
                .collect(Collectors.joining(", "));
        return "took " + TimeFormat.took(Durations.fromNanos(total)) + (parts.isEmpty() ? "" : ": " + parts);
    }

    /** The link to the cluster: {@code watched for 3h, 12 pods, heard 4s ago, 7 requests a minute}, and what is not well. */
    static String cluster(ClusterStatus cluster, Instant now) {
        List<String> parts = new ArrayList<>();
        String span = "for " + TimeFormat.age(cluster.getSince(), now);
        parts.add(cluster.getWatching() ? "watched " + span : "not heard " + span + ": " + cluster.getTrouble());
        parts.add(Table.counted(cluster.getPods(), "pod"));
        if (cluster.hasLastHeard()) {
            parts.add("heard " + TimeFormat.age(cluster.getLastHeard(), now) + " ago");
        }
        parts.add(Table.counted(cluster.getRequestsLastMinute(), "request") + " a minute");
        addPositive(parts, cluster.getThrottled(), "throttled");
        addPositive(parts, cluster.getEventsLost(), cluster.getEventsLost() == 1 ? "event lost" : "events lost");
        long onTrust = cluster.getLeasesOnTrust();
        addPositive(parts, onTrust, onTrust == 1 ? "lease by its call alone" : "leases by their calls alone");
        return String.join(", ", parts);
    }

    /** The status of one node, as a row among those of other nodes. */
    static final TableListing<GetStatusReply> STATUS_ROW = TableListing.<GetStatusReply>of(
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
            .by("up", "UP", status -> Durations.toMillis(status.getUptime()), NodeCommands::up)
            .toned("trouble", "TROUBLE", NodeCommands::trouble, status -> Tone.BAD)
            .build();

    private static Table.Cell up(GetStatusReply status, RenderContext look) {
        return Table.cell(TimeFormat.span(TimeFormat.duration(status.getUptime())));
    }

    /** How the last run ended, and after a crash, what of it was lost: what is acknowledged is on disk. */
    private static String lastRun(LastRun run, RenderContext look) {
        if (run.hasStopped()) {
            return "stopped in order " + look.age(run.getStopped()) + " ago";
        }
        return "killed or crashed; no acknowledged lease was lost ("
                + Table.counted(run.getLeases(), "lease") + " found), "
                + (run.getUnfinished() == 0
                        ? "nothing was under way in the cloud"
                        : Table.counted(run.getUnfinished(), "operation") + " of the cloud taken up again");
    }

    /** The first thing that is wrong, and how many more there are. */
    static String trouble(GetStatusReply status) {
        if (status.getTroublesCount() == 0) {
            return status.getPhase().equals("READY") ? "" : status.getDetail();
        }
        return status.getTroubles(0).getText() + TroubleViews.more(status);
    }

    static List<String> version(GetVersionReply daemon, RenderContext look) {
        return Table.details()
                .detail("enipam", Session.version())
                .detail("enipamd", daemon.getVersion())
                .detail("java", daemon.getJava())
                .detail("os", daemon.getOs())
                .lines(look);
    }

    /** The daemon of one node, as a row among those of other nodes. */
    static final TableListing<GetVersionReply> VERSION_ROW = TableListing.<GetVersionReply>of(
                    "nodes", GetVersionReply::getVersion)
            .none("no node answered", "")
            .text("enipamd", "ENIPAMD", GetVersionReply::getVersion)
            .text("java", "JAVA", GetVersionReply::getJava)
            .text("os", "OS", GetVersionReply::getOs)
            .build();

    static final TableListing<ConfigEntry> CONFIG = TableListing.<ConfigEntry>of("entries", ConfigEntry::getKey)
            .none("the daemon tells no configuration", "")
            .text("key", "KEY", ConfigEntry::getKey)
            .text("value", "VALUE", ConfigEntry::getValue)
            .text("source", "SOURCE", ConfigEntry::getSource)
            .toned("meaning", "MEANING", NodeCommands::meaning, entry -> entry.hasPending() ? Tone.WAIT : Tone.LABEL)
            .flowing()
            .build();

    private static String meaning(ConfigEntry entry) {
        if (!entry.hasPending()) {
            return entry.getDoc();
        }
        String value = entry.getPending().getValue();
        return "After a restart: " + (value.isEmpty() ? "empty" : value) + ", of "
                + entry.getPending().getSource() + ". " + entry.getDoc();
    }

    /** Log records as they were written, and below each what was thrown; a record has no identifier, so its name is its logger. */
    static final TableListing<LogRecord> LOG = TableListing.<LogRecord>of("records", LogRecord::getLogger)
            .none("nothing was logged", "")
            .clock("time", "TIME", LogRecord::getAt, Tone.LABEL)
            .state("level", "LEVEL", LogRecord::getLevel)
            .toned("logger", "LOGGER", LogRecord::getLogger, record -> Tone.LABEL)
            .wideText("thread", "THREAD", LogRecord::getThread)
            .text("message", "MESSAGE", record -> record.getMessage().replaceAll("\\R", " / "))
            .under(LogRecord::getThrownList)
            .flowing()
            .build();
}

package io.enipam.shell.gc;

import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.plugin.GrantViews;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.GcReport;
import io.enipam.v1.GcSpared;
import io.enipam.v1.GetGcStatusReply;
import io.enipam.v1.GetGcStatusRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.PluginGrant;
import io.enipam.v1.RunGcRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "gc",
        description = "Garbage collection.",
        subcommands = {GcCommands.Run.class, GcCommands.Status.class})
public final class GcCommands {
    /** It asks the API server once for each lease whose pod seems gone. */
    private static final Duration RUN = Duration.ofMinutes(5);

    private GcCommands() {}

    @Command(name = "run", description = "Take back the addresses of pods that are gone.")
    public static final class Run extends ControlCommand {
        @Option(names = "--dry-run", description = "Only say what would be taken back.")
        boolean dryRun;

        @Override
        public boolean changes() {
            return !dryRun;
        }

        @Override
        public void run() {
            RunGcRequest request = RunGcRequest.newBuilder().setDryRun(dryRun).build();
            show(
                    control(RUN, stub -> stub.runGc(request)),
                    (reply, look) -> GcCommands.report(reply.getReport(), look),
                    reply -> GcCommands.pods(reply.getReport()));
        }
    }

    @Command(name = "status", description = "What the last garbage collection did.")
    public static final class Status extends DaemonCommand {
        @Override
        public void run() {
            show(
                    inspect(stub -> stub.getGcStatus(GetGcStatusRequest.getDefaultInstance())),
                    GcCommands::status,
                    reply -> GcCommands.pods(reply.getLast()));
        }
    }

    public static List<String> status(GetGcStatusReply reply, RenderContext look) {
        String every = "every " + TimeFormat.span(TimeFormat.duration(reply.getInterval()));
        if (!reply.hasLast()) {
            return List.of(look.withAdvice("no garbage collection has run yet; one runs " + every, ", or now: gc run"));
        }
        List<String> lines = new ArrayList<>();
        lines.add("last one " + look.age(reply.getLast().getStartedAt()) + " ago; one runs " + every);
        lines.addAll(report(reply.getLast(), look));
        return lines;
    }

    public static List<String> report(GcReport report, RenderContext look) {
        List<String> lines = new ArrayList<>();
        lines.add(summary(report) + ", in " + TimeFormat.took(report.getTook()));
        lines.addAll(Table.listed(look, report.getCollectedList(), "POD  ADDRESS  CONTAINER  REASON", gone -> {
            Lease lease = gone.getLease();
            String container = PoolViews.container(lease.getOwner().getContainer());
            return Table.cells(lease.getPod(), PoolViews.addresses(lease.getResource()), container, gone.getReason());
        }));
        lines.addAll(Table.listed(look, report.getCollectedGrantsList(), "OWNER  ADDRESS  CLAIM  REASON", gone -> {
            PluginGrant grant = gone.getGrant();
            return Table.cells(grant.getOwner(), GrantViews.addresses(grant), grant.getClaim(), gone.getReason());
        }));
        report.getSparedList().forEach(spared -> lines.add(spared(spared, look)));
        report.getSparedGrantsList()
                .forEach(spared ->
                        lines.add(Palette.clean("spared " + spared.getGrant().getOwner() + ", "
                                + GrantViews.addresses(spared.getGrant()) + " of extension "
                                + spared.getGrant().getExtension() + ": " + spared.getReason())));
        report.getProblemsList().forEach(problem -> lines.add(look.paint(Tone.BAD, "problem: " + problem)));
        return lines;
    }

    private static String spared(GcSpared spared, RenderContext look) {
        String until = spared.hasUntil() ? ", until " + look.clock(spared.getUntil()) + " at least" : "";
        return Palette.clean("spared " + spared.getLease().getPod() + ", "
                + PoolViews.addresses(spared.getLease().getResource()) + until + ": " + spared.getReason());
    }

    /** {@code examined 3 leases and 1 grant, collected 1, spared 1}; a dry run says what it would do. */
    public static String summary(GcReport report) {
        int grants = report.getExaminedGrants();
        int spared = report.getSparedCount() + report.getSparedGrantsCount();
        return "examined " + Table.counted(report.getExamined(), "lease")
                + (grants == 0 ? "" : " and " + Table.counted(grants, "grant") + " of plugins") + ", "
                + (report.getDryRun() ? "would collect " : "collected ")
                + (report.getCollectedCount() + report.getCollectedGrantsCount())
                + (spared == 0 ? "" : ", spared " + spared)
                + (report.getProblemsCount() == 0 ? "" : ", " + Table.counted(report.getProblemsCount(), "problem"));
    }

    public static List<String> pods(GcReport report) {
        return Stream.concat(
                        report.getCollectedList().stream()
                                .map(collected -> collected.getLease().getPod()),
                        report.getCollectedGrantsList().stream()
                                .map(collected -> collected.getGrant().getOwner()))
                .toList();
    }
}

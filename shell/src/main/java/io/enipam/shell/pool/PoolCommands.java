package io.enipam.shell.pool;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.chart.Glyphs;
import io.enipam.shell.chart.HtmlWriter;
import io.enipam.shell.chart.SampleSeries;
import io.enipam.shell.chart.TextChart;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.DaemonCommand.KnowsThePast;
import io.enipam.shell.core.DurationParser.DurationConverter;
import io.enipam.shell.core.ForceOption;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Moment.PastSpan;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.PastLeases;
import io.enipam.shell.core.PreviewedCommand;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.eni.EniMap;
import io.enipam.shell.plugin.PluginCommands;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetPoolReply;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.HistorySample;
import io.enipam.v1.Lease;
import io.enipam.v1.ListIdleReply;
import io.enipam.v1.ListIdleRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.PoolEntry;
import io.enipam.v1.PoolProspect;
import io.enipam.v1.RetryPoolRequest;
import io.enipam.v1.SyncPoolRequest;
import io.enipam.v1.WarmPoolRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "pool",
        description = "The pool of addresses.",
        subcommands = {
            PoolCommands.Show.class,
            PoolCommands.Idle.class,
            PoolCommands.InUse.class,
            PoolCommands.History.class,
            EniMap.class,
            PoolCommands.Warm.class,
            PoolCommands.Drain.class,
            PoolCommands.Sync.class,
            PoolCommands.Retry.class,
            PluginCommands.PoolPolicy.class
        })
public final class PoolCommands {
    private PoolCommands() {}

    @Command(name = "show", description = "The pool's figures: watermarks, capacity, counts.")
    public static final class Show extends DaemonCommand implements KnowsThePast {
        @Override
        public void run() {
            if (session.past().isPresent()) {
                HistorySample last = lastSample(session.past().get());
                show(
                        GetPoolReply.newBuilder().setPool(PoolViews.past(last)).build(),
                        (reply, look) -> PoolViews.past(reply.getPool(), last, look),
                        reply -> List.of());
                return;
            }
            show(
                    inspect(stub -> stub.getPool(GetPoolRequest.getDefaultInstance())),
                    (reply, look) -> PoolViews.pool(reply.getPool(), look),
                    reply -> List.of(reply.getPool().getKind()),
                    () -> PoolListings.ROW);
        }

        private HistorySample lastSample(Instant then) {
            GetHistoryRequest request = GetHistoryRequest.newBuilder()
                    .setMaxSamples(1)
                    .setTo(TimeFormat.timestamp(then))
                    .build();
            GetHistoryReply.Builder all = GetHistoryReply.newBuilder();
            startStream(stub -> stub.getHistory(request)).forEachRemaining(all::mergeFrom);
            if (all.getSamplesCount() == 0) {
                throw ShellException.verdict(
                        "NOT_FOUND",
                        "no sample of the pool is of that time, or of the hour before it",
                        "history.keep and history.events_size say how much is kept");
            }
            return all.getSamples(all.getSamplesCount() - 1);
        }
    }

    @Command(name = "idle", description = "The addresses that are not lent: idle, cooling, reserved.")
    public static final class Idle extends ListCommand<PoolEntry> implements KnowsThePast {
        @Override
        protected Listed<PoolEntry> listed() {
            if (session.past().isPresent()) {
                Instant then = session.past().get();
                return new Listed<>(PoolListings.WAS_IDLE, () -> ListReply.of(PastIdle.at(this, then))).ofThePast();
            }
            return parts(
                    PoolListings.IDLE,
                    stub -> stub.listIdle(ListIdleRequest.getDefaultInstance()),
                    ListIdleReply::getEntriesList);
        }
    }

    @Command(name = "inuse", description = "The addresses that pods have.")
    public static final class InUse extends ListCommand<Lease> implements KnowsThePast {
        @Override
        protected Listed<Lease> listed() {
            if (session.past().isPresent()) {
                Instant then = session.past().get();
                return new Listed<>(PoolListings.WAS_IN_USE, () -> ListReply.of(PastLeases.at(this, then))).ofThePast();
            }
            return parts(
                    PoolListings.IN_USE,
                    stub -> stub.listInUse(ListInUseRequest.getDefaultInstance()),
                    ListInUseReply::getLeasesList);
        }
    }

    @Command(
            name = "history",
            description = "How the pool fared: a row for every few seconds, also before the daemon restarted.")
    public static final class History extends ListCommand<HistorySample> implements KnowsThePast {
        @Option(
                names = "--since",
                paramLabel = "TIME",
                converter = PastSpan.class,
                description = "Only the last, such as 5m; of more than an hour from files, which outlive the daemon.")
        @Nullable
        Duration since;

        @Option(
                names = {"-n", "--limit"},
                paramLabel = "N",
                defaultValue = "20",
                description = "No more than this many, the latest; 0 for all that are kept. By default 20.")
        int limit;

        @Option(names = "--plot", description = "A picture in place of rows, of all samples.")
        boolean plot;

        @Completes(CompletionKind.FILES)
        @Option(
                names = "--html",
                paramLabel = "FILE",
                description = "A page with charts of all samples, for a browser.")
        @Nullable
        Path html;

        @Mixin
        ForceOption force = new ForceOption();

        @Override
        public boolean writesLocalFile() {
            return html != null;
        }

        @Override
        public void prepare() {
            super.prepare();
            if (html != null && (plot || format() != OutputFormat.TABLE || endless())) {
                throw ShellException.usage(
                        "--html writes a page, and goes with neither --plot, -o nor --watch", "Leave those out");
            }
        }

        @Override
        protected Listed<HistorySample> listed() {
            boolean all = plot || html != null;
            GetHistoryRequest.Builder request =
                    GetHistoryRequest.newBuilder().setMaxSamples(all ? 0 : Math.max(0, limit));
            if (since != null) {
                request.setSince(Durations.fromNanos(since.toNanos()));
            }
            session.past().ifPresent(then -> request.setTo(TimeFormat.timestamp(then)));
            Listed<HistorySample> rows = this.<GetHistoryReply>parts(
                            PoolListings.HISTORY,
                            stub -> stub.getHistory(request.build()),
                            GetHistoryReply::getSamplesList)
                    .with(PoolViews::restarts);
            return plot
                    ? rows.drawn((samples, look) -> new TextChart(series(samples), Glyphs.here(false))
                            .lines(look, look.columnsOr(EniMap.PLAIN_WIDTH)))
                    : rows;
        }

        private SampleSeries series(List<HistorySample> samples) {
            return since == null ? SampleSeries.of(samples) : new SampleSeries(samples, since);
        }

        @Override
        protected void run() {
            if (html == null) {
                super.run();
            } else {
                page(html);
            }
        }

        private void page(Path to) {
            List<HistorySample> samples = new ArrayList<>();
            force.write(to, () -> {
                listed().ask().get().parts().forEachRemaining(samples::addAll);
                return page(samples);
            });
            print(List.of("wrote " + Table.counted(samples.size(), "sample") + " to " + Palette.clean(to.toString())));
        }

        private String page(List<HistorySample> samples) {
            SampleSeries series = series(samples);
            String node = inspect(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()))
                    .getNode();
            return HtmlWriter.page("The pool of " + node)
                    .element(
                            "p",
                            "dim",
                            "the last " + TimeFormat.span(series.span()) + " before "
                                    + session.now().truncatedTo(ChronoUnit.SECONDS) + ", "
                                    + Table.counted(samples.size(), "sample"))
                    .charts(series)
                    .page();
        }
    }

    @Command(name = "warm", description = "Make addresses now, before many pods come.")
    public static final class Warm extends ControlCommand {
        @Parameters(paramLabel = "N", description = "How many shall be idle.")
        int idle;

        @Option(
                names = "--for",
                paramLabel = "TIME",
                converter = Keep.class,
                description = "How long they are kept, 1s to 24h; by default 10m.")
        @Nullable
        Duration keep;

        @Option(names = "--dry-run", description = "Only say what would be made.")
        boolean dryRun;

        @Override
        public void prepare() {
            if (idle < 1) {
                String why = "warm takes a number of addresses, and " + idle + " is none";
                throw ShellException.usage(why, "As in: pool warm 20");
            }
        }

        @Override
        public boolean changes() {
            return !dryRun;
        }

        @Override
        public void run() {
            WarmPoolRequest.Builder request =
                    WarmPoolRequest.newBuilder().setIdle(idle).setDryRun(dryRun);
            if (keep != null) {
                request.setKeep(Durations.fromNanos(keep.toNanos()));
            }
            show(
                    control(LOOK, stub -> stub.warmPool(request.build())),
                    PoolViews::warmed,
                    reply -> List.of(reply.getOrder().getKind()));
        }

        /** The daemon takes no shorter time. */
        static final class Keep extends DurationConverter {
            Keep() {
                super(Duration.ofSeconds(1));
            }
        }
    }

    @Command(name = "drain", description = "Give back every idle address, and fill no more.")
    public static final class Drain extends PreviewedCommand<DrainPoolReply> {
        @Option(names = "--undo", description = "Let the pool fill again.")
        boolean undo;

        @Override
        public boolean needsConfirmation() {
            return super.needsConfirmation() && !undo;
        }

        @Override
        protected DrainPoolReply ask(boolean dry) {
            DrainPoolRequest.Builder request =
                    DrainPoolRequest.newBuilder().setDryRun(dry).setUndo(undo);
            return control(LOOK, stub -> stub.drainPool(request.build()));
        }

        @Override
        protected Optional<String> question(DrainPoolReply preview) {
            PoolProspect prospect = preview.getProspect();
            return Optional.of("Give back " + prospect.getGives() + " of " + prospect.getIdle()
                    + " idle addresses, and fill the pool no more?");
        }

        @Override
        protected void show(DrainPoolReply reply) {
            List<String> order = reply.hasOrder() ? List.of(reply.getOrder().getKind()) : List.of();
            show(reply, PoolViews::drained, r -> order);
        }
    }

    @Command(name = "retry", description = "Ask for what the pool lacks now, whatever the back-off.")
    public static final class Retry extends ControlCommand {
        private static final Duration WITHIN = Duration.ofSeconds(10);

        @Override
        public void run() {
            show(
                    control(WITHIN, stub -> stub.retryPool(RetryPoolRequest.getDefaultInstance())),
                    PoolViews::retried,
                    reply -> List.of());
        }
    }

    @Command(name = "sync", description = "Compare the pool with the cloud now.")
    public static final class Sync extends ControlCommand {
        /** Two lists of a slow cloud for each factory, and perhaps another run before. */
        private static final Duration RUN = Duration.ofMinutes(5);

        @Option(
                names = "--accept-loss",
                description = "Addresses that pods have are lost, however many the factories do not list.")
        boolean acceptLoss;

        @Override
        public void run() {
            SyncPoolRequest request =
                    SyncPoolRequest.newBuilder().setAcceptLoss(acceptLoss).build();
            show(
                    control(RUN, stub -> stub.syncPool(request)),
                    (reply, look) -> PoolViews.sync(reply.getReport(), look),
                    reply -> reply.getReport().getFindingsList().stream()
                            .map(finding -> finding.getResource().getId())
                            .toList());
        }
    }
}

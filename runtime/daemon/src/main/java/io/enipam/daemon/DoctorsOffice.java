package io.enipam.daemon;

import io.enipam.aliyun.CloudProbe;
import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.CallBook;
import io.enipam.aliyun.credentials.KeysException;
import io.enipam.daemon.cloud.CloudAccess;
import io.enipam.daemon.config.DaemonConfig;
import io.enipam.daemon.db.DatabaseDesk;
import io.enipam.daemon.doctor.Doctor;
import io.enipam.daemon.doctor.MissingFact;
import io.enipam.daemon.doctor.Probes;
import io.enipam.daemon.doctor.Repair;
import io.enipam.daemon.doctor.Repairs;
import io.enipam.daemon.doctor.check.Catalogue;
import io.enipam.daemon.doctor.fact.CallFacts;
import io.enipam.daemon.doctor.fact.ClockFacts;
import io.enipam.daemon.doctor.fact.ConfigFacts;
import io.enipam.daemon.doctor.fact.ConntrackFacts;
import io.enipam.daemon.doctor.fact.DatabaseFacts;
import io.enipam.daemon.doctor.fact.DifferenceFacts;
import io.enipam.daemon.doctor.fact.DiskFacts;
import io.enipam.daemon.doctor.fact.EngineFacts;
import io.enipam.daemon.doctor.fact.EniFacts;
import io.enipam.daemon.doctor.fact.EventFacts;
import io.enipam.daemon.doctor.fact.FileFacts;
import io.enipam.daemon.doctor.fact.FileModes;
import io.enipam.daemon.doctor.fact.HistoryFacts;
import io.enipam.daemon.doctor.fact.KeyFacts;
import io.enipam.daemon.doctor.fact.LimitFacts;
import io.enipam.daemon.doctor.fact.MetadataFacts;
import io.enipam.daemon.doctor.fact.OrderFacts;
import io.enipam.daemon.doctor.fact.PendingFacts;
import io.enipam.daemon.doctor.fact.PluginFacts;
import io.enipam.daemon.doctor.fact.ProcessFacts;
import io.enipam.daemon.doctor.fact.StaleFacts;
import io.enipam.daemon.doctor.fact.StartFacts;
import io.enipam.daemon.doctor.fact.SweepFacts;
import io.enipam.daemon.doctor.fact.VSwitchFacts;
import io.enipam.daemon.doctor.fact.VerifiedFacts;
import io.enipam.daemon.doctor.fact.Watch;
import io.enipam.daemon.doctor.fact.WatchFacts;
import io.enipam.daemon.events.EventRing;
import io.enipam.daemon.history.History;
import io.enipam.daemon.orders.GivenOrder;
import io.enipam.daemon.orders.StandingOrders;
import io.enipam.daemon.plugin.InForce;
import io.enipam.daemon.plugin.Plugins;
import io.enipam.daemon.pods.NodePods;
import io.enipam.daemon.rpc.DaemonFacts;
import io.enipam.daemon.sources.PeoplesShare;
import io.enipam.daemon.sources.compare.Comparing;
import io.enipam.daemon.sources.compare.Comparing.Patience;
import io.enipam.daemon.sources.compare.Difference;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.gc.GcReport;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.reconcile.ReconcileReport;
import io.enipam.sdk.FactoryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Puts the doctor together: who gathers which facts of this daemon, and who does which repair.
 *
 * @param socket the path of the control socket
 * @param starts of the daemon, this one included
 */
record DoctorsOffice(
        DaemonFacts facts,
        DaemonConfig config,
        DaemonLayout layout,
        Path socket,
        IpamEngine engine,
        ResourceDb db,
        DatabaseDesk desk,
        NodePods pods,
        CloudAccess cloud,
        CallBook calls,
        EventRing events,
        History history,
        Comparing comparing,
        PeoplesShare share,
        Plugins plugins,
        InForce inForce,
        StandingOrders orders,
        Watch watch,
        StartFacts starts) {
    /** Between two looks at what may be in motion. */
    private static final Duration PAUSE = Duration.ofSeconds(2);
    /** Older than any operation on its way. */
    private static final Duration OLD = Duration.ofMinutes(5);
    /** How long the metadata service may take: it is a hop away. */
    private static final Duration METADATA = Duration.ofSeconds(6);

    private static final String NO_CLOUD = "no address of this node comes from the cloud";
    private static final Path NETFILTER = Path.of("/proc/sys/net/netfilter");

    Doctor doctor() {
        return new Doctor(Catalogue.all(), probes(), repairs(), facts.time());
    }

    private FileModes files() {
        return new FileModes(socket, layout.database(), layout.auditLog());
    }

    private Probes probes() {
        return new Probes()
                .with(EngineFacts.class, this::engineFacts)
                .with(
                        DifferenceFacts.class,
                        () -> DifferenceFacts.of(soon(comparing.look(Patience.THOROUGH, DoctorsOffice::matters))))
                .with(HistoryFacts.class, () -> new HistoryFacts(history.samples()))
                .with(EniFacts.class, () -> new EniFacts(cloud.enis()))
                .with(WatchFacts.class, watch::facts)
                .with(OrderFacts.class, this::orderFacts)
                .with(StartFacts.class, () -> starts)
                .with(StaleFacts.class, this::stale)
                .with(
                        SweepFacts.class,
                        () -> new SweepFacts(soon(probed(probe -> {
                            take(CloudApi.DESCRIBE_NETWORK_INTERFACES);
                            return cloud.sweep(true);
                        }))))
                .with(
                        DatabaseFacts.class,
                        () -> new DatabaseFacts(db.contents(), db.trouble(), bytesOf(layout.database())))
                .with(PendingFacts.class, this::pending)
                .with(VerifiedFacts.class, () -> new VerifiedFacts(soon(desk.verify())))
                .with(DiskFacts.class, () -> DiskFacts.of(layout.database()))
                .with(FileFacts.class, () -> files().look())
                .with(ProcessFacts.class, ProcessFacts::ofThis)
                .with(ConntrackFacts.class, () -> ConntrackFacts.read(NETFILTER))
                .with(
                        CallFacts.class,
                        () -> new CallFacts(calls.budget(), calls.calls(), cloud.trouble(), cloud.used()))
                .with(
                        VSwitchFacts.class,
                        () -> new VSwitchFacts(probed(probe -> {
                            take(CloudApi.DESCRIBE_VSWITCHES);
                            return probe.vswitches();
                        })))
                .with(LimitFacts.class, () -> new LimitFacts(probed(CloudProbe::limits)))
                .with(KeyFacts.class, this::keys)
                .with(
                        ClockFacts.class,
                        () -> new ClockFacts(probed(CloudProbe::clockAhead)
                                .orElseThrow(() -> new MissingFact("no answer of the cloud has had a date"))))
                .with(MetadataFacts.class, this::metadata)
                .with(
                        PluginFacts.class,
                        () -> new PluginFacts(
                                plugins.reports().all(),
                                inForce.selectedPolicy(),
                                inForce.policyInForce(),
                                inForce.trouble()))
                .with(ConfigFacts.class, () -> new ConfigFacts(config.warnings(), config.unobeyed()))
                .with(EventFacts.class, () -> new EventFacts(events.after(0), EventRing.SIZE));
    }

    private EngineFacts engineFacts() {
        return new EngineFacts(
                engine.status(),
                engine.pool(),
                config.engine(),
                engine.agenda(),
                engine.factories(),
                facts.uptime(),
                pods.knowsAll());
    }

    private OrderFacts orderFacts() {
        GivenOrder given = orders.given();
        return new OrderFacts(given.order(), given.by());
    }

    /** Of pods that are gone the garbage collection tells, which asks for each of them. */
    private static boolean matters(Difference difference) {
        return difference.kind() != Difference.Kind.POD_GONE;
    }

    private void mustServe() {
        if (engine.status().phase() != EngineStatus.Phase.READY) {
            throw new MissingFact("the engine does not serve yet");
        }
    }

    /** What two dry runs would take, a moment apart: a pod whose DEL is under way is no finding. */
    private StaleFacts stale() throws Exception {
        mustServe();
        if (!pods.knowsAll()) {
            throw new MissingFact("nobody knows which pods there are; see pods-unknown");
        }
        GcReport first = soon(engine.collect(true));
        if (first.collected().isEmpty()) {
            return new StaleFacts(List.of(), first.problems());
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        Set<GcReport.Collected> before = new HashSet<>(first.collected());
        GcReport second = soon(engine.collect(true));
        return new StaleFacts(
                second.collected().stream().filter(before::contains).toList(), second.problems());
    }

    private PendingFacts pending() throws InterruptedException {
        mustServe();
        Instant old = facts.time().now().minus(OLD);
        ResourceDb.Contents first = db.contents();
        PendingFacts suspected = new PendingFacts(
                first.intents().stream().filter(i -> i.since().isBefore(old)).toList(),
                first.operations().stream().filter(o -> o.since().isBefore(old)).toList());
        if (suspected.intents().isEmpty() && suspected.operations().isEmpty()) {
            return suspected;
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        ResourceDb.Contents second = db.contents();
        return new PendingFacts(
                suspected.intents().stream().filter(second.intents()::contains).toList(),
                suspected.operations().stream()
                        .filter(second.operations()::contains)
                        .toList());
    }

    private interface Asked<T> {
        T of(CloudProbe probe);
    }

    /** What the cloud is asked through, if this node uses it and it has answered. */
    private <T> T probed(Asked<T> asked) {
        if (!cloud.used()) {
            throw new MissingFact(NO_CLOUD);
        }
        return asked.of(cloud.probe()
                .orElseThrow(
                        () -> new MissingFact(cloud.trouble().orElse("the cloud has not answered since the start"))));
    }

    private void take(CloudApi api) {
        try {
            share.take(api, 1);
        } catch (IpamException refusal) {
            throw new MissingFact("cloud: " + refusal.getMessage());
        }
    }

    private KeyFacts keys() {
        try {
            CloudProbe.KeyLife life = probed(CloudProbe::keys);
            return new KeyFacts(life.place(), life.expires(), Optional.empty());
        } catch (KeysException e) {
            return new KeyFacts("", Optional.empty(), Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private MetadataFacts metadata() throws InterruptedException {
        CloudProbe probe = probed(found -> found);
        try {
            String instance = aside(probe::metadataInstance).get(METADATA.toMillis(), TimeUnit.MILLISECONDS);
            return new MetadataFacts(instance, probe.instanceId(), Optional.empty());
        } catch (TimeoutException e) {
            return silent(probe, "no answer within " + METADATA.toSeconds() + " s");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FactoryException refusal) {
                return silent(probe, String.valueOf(refusal.getMessage()));
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private static MetadataFacts silent(CloudProbe probe, String why) {
        return new MetadataFacts("", probe.instanceId(), Optional.of(why));
    }

    /** On a thread of its own, which may stay there after nobody waits for it. */
    private static <T> CompletableFuture<T> aside(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, task -> {
            Thread thread = new Thread(task, "doctor-metadata");
            thread.setDaemon(true);
            thread.start();
        });
    }

    private static long bytesOf(Path directory) throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                // one that a checkpoint has just removed counts for nothing
                bytes += Files.isRegularFile(file) && Files.exists(file)
                        ? file.toFile().length()
                        : 0;
            }
        }
        return bytes;
    }

    private static <T> T soon(CompletionStage<T> stage) throws InterruptedException, ExecutionException {
        return stage.toCompletableFuture().get();
    }

    private Repairs repairs() {
        return new Repairs()
                .with(Repair.GC, dryRun -> engine.collect(dryRun).thenApply(DoctorsOffice::collected))
                .with(Repair.SYNC, this::synced)
                .with(Repair.SWEEP, dryRun -> cloud.sweep(dryRun).thenApply(DoctorsOffice::swept))
                .with(Repair.COMPACT, this::compacted)
                .with(
                        Repair.POLICY,
                        dryRun -> plugins.swaps()
                                .policy(inForce.selectedPolicy(), dryRun)
                                .thenApply(swap -> List.of(
                                        (dryRun ? "would put " : "put ") + "the policy " + swap.to() + " in force")))
                .with(Repair.MODES, this::modes);
    }

    private static List<String> collected(GcReport report) {
        List<String> steps = new ArrayList<>();
        report.collected()
                .forEach(found -> steps.add((report.dryRun() ? "would end" : "ended") + " the lease of "
                        + found.lease().pod() + ", " + found.lease().resource().id() + ": " + found.reason()));
        report.problems().forEach(problem -> steps.add("could not judge: " + problem));
        return steps.isEmpty() ? List.of("ran; there was nothing to collect") : steps;
    }

    private CompletionStage<List<String>> synced(boolean dryRun) {
        if (dryRun) {
            return CompletableFuture.completedFuture(
                    List.of("would compare the pool with the cloud, and bring it in line"));
        }
        return engine.reconcile().thenApply(DoctorsOffice::told);
    }

    private static List<String> told(ReconcileReport report) {
        List<String> steps = new ArrayList<>();
        report.findings()
                .forEach(
                        found -> steps.add(found.kind() + " " + found.resource().id() + ": " + found.detail()));
        report.problems().forEach(problem -> steps.add("could not ask: " + problem));
        return steps.isEmpty()
                ? List.of("compared " + report.listed() + " resources; nothing had to be changed")
                : steps;
    }

    private static List<String> swept(EniSweeper.Report report) {
        List<String> steps = report.candidates().stream()
                .map(eni -> (eni.taken() ? (report.dryRun() ? "would delete " : "deleting ") : "left ") + eni.id()
                        + ": " + eni.reason())
                .toList();
        return steps.isEmpty() ? List.of("swept; there was nothing to delete") : steps;
    }

    private CompletionStage<List<String>> compacted(boolean dryRun) {
        if (dryRun) {
            return CompletableFuture.completedFuture(
                    List.of("would write a checkpoint and remove the journal files it makes unnecessary"));
        }
        return desk.compact().thenApply(done -> List.of("wrote a checkpoint: " + done));
    }

    private CompletionStage<List<String>> modes(boolean dryRun) {
        try {
            return CompletableFuture.completedFuture(files().mend(dryRun));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(new IpamException(
                    ErrorCode.STORE_FAILED, "the rights cannot be changed: " + e.getMessage(), "chmod as root", e));
        }
    }
}

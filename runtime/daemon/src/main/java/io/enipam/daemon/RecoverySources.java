package io.enipam.daemon;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.KernelDatapath.DatapathConfig;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.Pod;
import io.enipam.engine.pool.ValidatedList;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.events.EventRing;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.node.cloud.CloudSession.SharedCloudSession;
import io.enipam.node.cluster.NodeCidrProvider;
import io.enipam.node.kernel.SimulatedDatapath;
import io.enipam.node.pods.SimulatedPods;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.load.PluginCatalog;
import io.enipam.recovery.SourceAnswers;
import io.enipam.recovery.SourceAnswers.Answer;
import io.enipam.recovery.SourceAnswers.ReadOnlyCloudJournal;
import io.enipam.sdk.Resource;
import io.enipam.store.SalvageResult;
import io.enipam.store.SalvageResult.SalvagedRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Asks kernel, API server and cloud for their state, through the same ports and the same configuration as the daemon. A
 * source that exceeds the time limit counts as unanswered; this is reported, and nothing is concluded from it.
 */
final class RecoverySources {
    private final DaemonLayout layout;
    private final DaemonConfig config;
    private final DaemonEnvironment surroundings;
    private final EngineAssembly assembly;
    private final PluginCatalog catalog;
    private final Duration patience;
    private final Closer opened;
    private final SystemTime time = new SystemTime();
    private volatile Optional<NodeIdentity> machine = Optional.empty();

    /** @param opened takes the resources to close at the end */
    RecoverySources(
            DaemonLayout layout,
            DaemonConfig config,
            DaemonEnvironment surroundings,
            EngineAssembly assembly,
            PluginCatalog catalog,
            Duration patience,
            Closer opened) {
        this.layout = layout;
        this.config = config;
        this.surroundings = surroundings;
        this.assembly = assembly;
        this.catalog = catalog;
        this.patience = patience;
        this.opened = opened;
    }

    SourceAnswers ask(SalvageResult salvaged) {
        ScheduledExecutorService threads = BaseModule.threads(4, "recovery-source");
        opened.push("witnesses", threads::shutdownNow);
        CompletableFuture<List<Resource>> cloud = new CompletableFuture<>();
        threads.execute(() -> list(threads, cloud));
        Answer<Attachment> kernel = answer(
                CompletableFuture.supplyAsync(this::kernel, threads).thenCompose(Function.identity()),
                all -> all.size() + " sandboxes are connected");
        Answer<Pod> pods = config.emulated()
                ? answer(
                        CompletableFuture.supplyAsync(() -> pods(salvaged), threads)
                                .thenCompose(Function.identity()),
                        all -> all.size() + " pods are on this node")
                : Answer.none("not asked, since this daemon has no cluster");
        return new SourceAnswers(kernel, pods, answer(cloud, all -> all.size() + " addresses are listed"));
    }

    /** This machine's identity from the cloud; empty if the cloud did not answer. */
    Optional<NodeIdentity> machine() {
        return machine;
    }

    /** As the daemon asks it, but records that the kernel's links make necessary are added to a copy. */
    private CompletableFuture<List<Attachment>> kernel() {
        CompletableFuture<List<Attachment>> files = together(
                new SimulatedDatapath(layout.simulatedKernel()).attached(),
                new SimulatedDatapath(layout.callersAttachments()).attached());
        if (config.get(Schema.DATAPATH_USE).equals("off")) {
            return files;
        }
        Optional<String> obstacle = KernelDatapath.unavailableReason();
        if (obstacle.isPresent()) {
            return CompletableFuture.failedFuture(new IOException(obstacle.get()));
        }
        try {
            KernelDatapath real = opened.push(
                    "kernel",
                    KernelDatapath.open(new DatapathConfig(
                            copyOf(layout.attachments()), surroundings.node(() -> config), Sysctls.USUAL)));
            return together(files, real.attached());
        } catch (IOException | UncheckedIOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static CompletableFuture<List<Attachment>> together(
            CompletionStage<List<Attachment>> some, CompletionStage<List<Attachment>> others) {
        return some.thenCombine(
                        others,
                        (one, other) ->
                                Stream.concat(one.stream(), other.stream()).toList())
                .toCompletableFuture();
    }

    private Path copyOf(Path records) throws IOException {
        Path copy = Files.createTempDirectory("enipam-recover");
        opened.push("copy of the records", () -> delete(copy));
        if (Files.isDirectory(records)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(records)) {
                for (Path file : files) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
            }
        }
        return copy;
    }

    private static void delete(Path flat) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(flat)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Files.delete(flat);
    }

    private CompletableFuture<List<Pod>> pods(SalvageResult salvaged) {
        try {
            return SimulatedPods.open(
                            layout.sandboxPods(),
                            salvaged.records().leases().stream()
                                    .map(SalvagedRecord::value)
                                    .toList(),
                            new SimulatedDatapath(layout.simulatedKernel()).now())
                    .list()
                    .toCompletableFuture();
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void list(ScheduledExecutorService threads, CompletableFuture<List<Resource>> answer) {
        try {
            List<NamedFactory> factories = factories(threads);
            List<Resource> all = new ArrayList<>();
            for (NamedFactory factory : factories) {
                List<Resource> listed =
                        factory.factory().list().toCompletableFuture().get();
                all.addAll(ValidatedList.of(factory, factory.factory().kind(), listed, (s, t, u, m, a) -> {})
                        .resources());
            }
            answer.complete(all);
        } catch (ExecutionException e) {
            answer.completeExceptionally(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            answer.completeExceptionally(e);
        } catch (IOException | RuntimeException e) {
            answer.completeExceptionally(e);
        }
    }

    /** The factories that a start would open, on a read-only cloud. */
    private List<NamedFactory> factories(ScheduledExecutorService threads) throws IOException {
        ExecutorScheduler scheduler = opened.push("scheduler", new ExecutorScheduler());
        EventRing events = opened.push("events", new EventRing(time, scheduler));
        ApiCallLog calls =
                new ApiCallLog(time, new SplittableRandom(), config.calls().perMinute());
        CloudJournal nothing = new ReadOnlyCloudJournal();
        Supplier<AliyunConfig> client = cloudClient();
        SharedCloudSession shared = new SharedCloudSession(
                () -> surroundings.openCloud(client.get(), calls, time, scheduler, events, nothing));
        CloudAccess cloud =
                CloudAccess.over(shared, threads, events, (use, session) -> machine = Optional.of(session.node()));
        PluginHost host = opened.push(
                "plugins",
                assembly.plugins(
                        catalog, cloud::open, NodeCidrProvider::noCluster, config, layout, time, scheduler, events));
        ActiveSelection inForce = opened.push(
                "factories",
                ActiveSelection.load(host, layout.selection(), config.get(Schema.POLICY), config.get(Schema.FACTORY), threads, events));
        var supplies = inForce.openFactories();
        List<NamedFactory> all = new ArrayList<>(List.of(supplies.active()));
        all.addAll(supplies.leaving());
        return all;
    }

    private Supplier<AliyunConfig> cloudClient() {
        if (!config.emulated()) {
            return config::cloud;
        }
        if (!Files.exists(layout.emulatorState())) {
            throw new IllegalStateException("there is no emulated cloud in " + layout.emulatorState());
        }
        CloudEmulation emulation = opened.push("emulator", surroundings.startEmulator(config, layout.emulatorState()));
        return emulation::client;
    }

    private <T> Answer<T> answer(CompletableFuture<List<T>> coming, Function<List<T>, String> words) {
        try {
            List<T> told = coming.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return Answer.of(told, words.apply(told));
        } catch (TimeoutException e) {
            return Answer.none("no answer within " + patience.toSeconds() + " s: it counts as unknown");
        } catch (ExecutionException e) {
            String why = Optional.ofNullable(e.getCause().getMessage())
                    .orElse(e.getCause().toString());
            return Answer.none("could not be asked, and counts as unknown: " + why);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.none("not asked: interrupted");
        }
    }
}

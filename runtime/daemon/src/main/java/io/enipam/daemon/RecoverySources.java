package io.enipam.daemon;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.config.DaemonConfig;
import io.enipam.config.Schema;
import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.KernelDatapath.DatapathConfig;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Lease;
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
import io.enipam.node.kernel.NodeView;
import io.enipam.node.kernel.SimulatedDatapath;
import io.enipam.node.pods.SimulatedPods;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.pluginhost.ActiveSelection;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.PluginStorage;
import io.enipam.pluginhost.PluginStorage.HostNode;
import io.enipam.recovery.SourceAnswers;
import io.enipam.recovery.SourceAnswers.Answer;
import io.enipam.recovery.SourceAnswers.ReadOnlyCloudJournal;
import io.enipam.sdk.Resource;
import io.enipam.sdk.Role;
import io.enipam.store.SalvageResult;
import io.enipam.store.SalvageResult.SalvagedRecord;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Asks kernel, API server and cloud for their state, through the same ports and the same configuration as the daemon. A
 * source that exceeds the time limit counts as unanswered; this is reported, and nothing is concluded from it.
 */
final class RecoverySources {
    private final RecoverCommand command;
    private final DaemonLayout layout;
    private final DaemonConfig config;
    private final Closer opened;
    private final SystemTime time = new SystemTime();
    private volatile Optional<NodeIdentity> machine = Optional.empty();

    /** @param opened takes the resources to close at the end */
    RecoverySources(RecoverCommand command, Closer opened) {
        this.command = command;
        this.layout = command.layout();
        this.config = command.config();
        this.opened = opened;
    }

    SourceAnswers ask(SalvageResult salvaged) {
        ScheduledExecutorService threads = BaseModule.threads(4, "recovery-source");
        opened.push("sources", threads::shutdownNow);
        Future<List<Resource>> cloud = threads.submit(() -> cloud(threads));
        Answer<Attachment> kernel = answer(threads.submit(this::kernel), " sandboxes are connected");
        Answer<Pod> pods = config.emulated()
                ? answer(threads.submit(() -> pods(salvaged)), " pods are on this node")
                : Answer.none("not asked, since this daemon has no cluster");
        return new SourceAnswers(kernel, pods, answer(cloud, " addresses are listed"));
    }

    /** This machine's identity from the cloud; empty if the cloud did not answer. */
    Optional<NodeIdentity> machine() {
        return machine;
    }

    /** As the daemon asks it, but records that the kernel's links make necessary are added to a copy. */
    private List<Attachment> kernel() throws IOException, InterruptedException, ExecutionException {
        List<Attachment> all = new ArrayList<>();
        all.addAll(DoctorModule.get(new SimulatedDatapath(layout.simulatedKernel()).attached()));
        all.addAll(DoctorModule.get(new SimulatedDatapath(layout.callersAttachments()).attached()));
        if (!config.get(Schema.DATAPATH_USE).equals("off")) {
            Optional<String> obstacle = KernelDatapath.unavailableReason();
            if (obstacle.isPresent()) {
                throw new IOException(obstacle.get());
            }
            NodeView node = command.surroundings().node(() -> config);
            DatapathConfig datapath =
                    new DatapathConfig(copyOf(layout.attachments()), node, Sysctls.USUAL, Optional.empty());
            all.addAll(DoctorModule.get(
                    opened.push("kernel", KernelDatapath.open(datapath)).attached()));
        }
        return all;
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

    private List<Pod> pods(SalvageResult salvaged) throws IOException, InterruptedException, ExecutionException {
        List<Lease> leases =
                salvaged.records().leases().stream().map(SalvagedRecord::value).toList();
        List<Attachment> connected = new SimulatedDatapath(layout.simulatedKernel()).now();
        return DoctorModule.get(
                SimulatedPods.open(layout.sandboxPods(), leases, connected).list());
    }

    private List<Resource> cloud(ScheduledExecutorService threads)
            throws IOException, InterruptedException, ExecutionException {
        List<Resource> all = new ArrayList<>();
        for (NamedFactory factory : factories(threads)) {
            List<Resource> listed = DoctorModule.get(factory.factory().list());
            all.addAll(ValidatedList.of(factory, factory.factory().kind(), listed, (s, t, u, m, a) -> {})
                    .resources());
        }
        return all;
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
                () -> command.surroundings().openCloud(client.get(), calls, time, scheduler, events, nothing));
        CloudAccess cloud =
                CloudAccess.over(shared, threads, events, (use, session) -> machine = Optional.of(session.node()));
        BuiltIns builtIns = command.assembly().builtIns(cloud::open, NodeCidrProvider::noCluster);
        PluginStorage kept = PluginStorage.withoutTables(
                new HostNode("recovered", Role.NODE),
                layout.pluginData(),
                "the tables of plugins are not open while the database is recovered");
        PluginHost host = opened.push(
                "plugins",
                new PluginHost(command.catalog(), builtIns, () -> config, kept, time, scheduler, scheduler, events));
        ActiveSelection inForce = opened.push(
                "factories",
                ActiveSelection.load(
                        host,
                        layout.selection(),
                        config.get(Schema.POLICY),
                        config.get(Schema.FACTORY),
                        threads,
                        events));
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
        CloudEmulation emulation =
                opened.push("emulator", command.surroundings().startEmulator(config, layout.emulatorState()));
        return emulation::client;
    }

    private <T> Answer<T> answer(Future<List<T>> coming, String what) {
        Duration patience = command.request().patience();
        try {
            List<T> told = coming.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return Answer.of(told, told.size() + what);
        } catch (TimeoutException e) {
            return Answer.none("no answer within " + patience.toSeconds() + " s: it counts as unknown");
        } catch (ExecutionException e) {
            Throwable cause = Stages.cause(e);
            String why = Objects.requireNonNullElse(cause.getMessage(), cause.toString());
            return Answer.none("could not be asked, and counts as unknown: " + why);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.none("not asked: interrupted");
        }
    }
}

package io.enipam.daemon;

import com.google.common.base.Suppliers;
import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.CloudConnection;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.aliyun.lent.CloudLender;
import io.enipam.config.DaemonConfig;
import io.enipam.config.dynamic.ServiceCidrResolver;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Leadership;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.node.cloud.CloudEmulation;
import io.enipam.node.cloud.CloudEmulation.EmulatedCloudControl;
import io.enipam.node.cloud.CloudSession.SharedCloudSession;
import io.enipam.node.cloud.LeasedAddressPairs;
import io.enipam.node.cloud.NodeIdentityGuard;
import io.enipam.observability.history.Meters;
import io.enipam.store.DbCloudJournal;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Access to the cloud, emulated or real: all factories share its session, which opens with the first of them. */
final class CloudModule {
    final ApiCallLog calls;
    final Meters meters;
    private final DaemonEnvironment surroundings;
    private final Optional<CompletableFuture<CloudEmulation>> emulation;
    private final CompletableFuture<AliyunConfig> client;
    /** Compares the pool with the cloud, once the engine exists; its argument says whether an ENI is back. */
    private final CompletableFuture<Consumer<Boolean>> compare = new CompletableFuture<>();

    /** Parts that need the database, created when it starts to open. */
    record Session(
            CloudAccess access,
            SharedCloudSession shared,
            ServiceCidrResolver services,
            NodeIdentityGuard machine,
            LeasedAddressPairs pairs,
            CloudLender lender) {}

    CloudModule(BaseModule base, DaemonEnvironment surroundings, DaemonConfig files) {
        this.surroundings = surroundings;
        emulation = emulation(base, files);
        client = emulation
                .map(coming -> coming.thenApply(CloudEmulation::client))
                .orElseGet(() -> CompletableFuture.completedFuture(base.config.cloud()));
        calls = new ApiCallLog(
                base.time, new SplittableRandom(), base.config.calls().perMinute(), base.traces);
        meters = new Meters(base.time, calls);
    }

    private Optional<CompletableFuture<CloudEmulation>> emulation(BaseModule base, DaemonConfig files) {
        if (!files.emulated()) {
            return Optional.empty();
        }
        DaemonLayout.makeWritable(base.layout.emulatorState().resolveSibling("."));
        CompletableFuture<CloudEmulation> coming = CompletableFuture.supplyAsync(
                () -> surroundings.startEmulator(files, base.layout.emulatorState()), base.blocking);
        base.opened.push("emulator", () -> BaseModule.whenOpened(coming, CloudEmulation::close));
        return Optional.of(coming);
    }

    Session session(BaseModule base, StorageModule storage) {
        CloudJournal operations = new DbCloudJournal(storage::db);
        NodeIdentityGuard machine =
                new NodeIdentityGuard(() -> storage.contents().node());
        LeasedAddressPairs pairs = new LeasedAddressPairs(storage::contents);
        SharedCloudSession shared = new SharedCloudSession(() -> machine.requireSameMachine(surroundings.openCloud(
                BaseModule.join(client).withEnis(base.live.now().enis()).withKnownPairs(pairs),
                calls,
                base.time,
                base.scheduler,
                comparing(base.events),
                operations)));
        ServiceCidrResolver services = new ServiceCidrResolver(base.live::now, shared::ranges, base.events);
        CloudAccess access = CloudAccess.over(shared, base.blocking, base.events, (use, session) -> {
            base.announcements.cloudOpened(use, session);
            services.refresh();
        });
        base.opened.push("the cloud's session", shared);
        CloudLender lender = base.opened.push("the cloud for plugins", new CloudLender(shared::lend, base.time));
        return new Session(access, shared, services, machine, pairs, lender);
    }

    /**
     * Lends plugins the cloud on a host that is no node. It is opened with the first call; where that fails, with the next one.
     */
    CloudLender ofCluster(BaseModule base, Leadership leadership) {
        Supplier<CloudLender.Session> session = Suppliers.memoize(
                () -> CloudConnection.open(BaseModule.join(client), calls, base.time, base.events, Sleeper.SLEEP)
                        .lend(leadership::leads));
        return base.opened.push("the cloud for plugins", new CloudLender(session, base.time));
    }

    /**
     * Forwards the cloud's events, and starts a pool reconcile at once when an ENI has left the instance or is back.
     */
    private EventSink comparing(EventSink events) {
        return (severity, type, subject, message, attributes) -> {
            events.publish(severity, type, subject, message, attributes);
            boolean again = type.equals("EniReattached");
            if (again || type.equals("EniLost")) {
                compare.thenAccept(then -> then.accept(again));
            }
        };
    }

    void compareWith(Consumer<Boolean> comparison) {
        compare.complete(comparison);
    }

    EmulatedCloudControl control() {
        return new EmulatedCloudControl(emulation);
    }

    /** Waits for the emulator, if there is one: a sandbox without its cloud is useless. */
    void awaitEmulator() {
        emulation.ifPresent(coming -> BaseModule.join(client));
    }
}

package io.enipam.diagnostics.sources;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.PendingWork;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.pool.CapacityOverride;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.pool.PoolView.WaiterView;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.CloudInspector.CloudState;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.CloudInspector.ObservedVSwitch;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** The sources of this node, and their answers. */
public final class NodeSources {
    /** Lists of ENIs: one by the tags of each use of ENIs, one by the instance. */
    private static final int LISTS = EniUse.values().length + 1;

    /** Time for a source in memory. */
    private static final Duration AT_ONCE = Duration.ofSeconds(2);

    private static final Duration SOON = Duration.ofSeconds(5);

    private NodeSources() {}

    /** The rows of the resource database: what the next start would know. */
    public static Source<ResourceDb.Contents> database(ResourceDb db) {
        return new Source<>(
                Source.DATABASE,
                ResourceDb.Contents.class,
                AT_ONCE,
                false,
                Optional::empty,
                anew -> CompletableFuture.completedFuture(db.contents()),
                answer -> Stream.of(
                                answer.leases().stream().map(NodeSources::lease),
                                answer.holds().stream().map(NodeSources::hold),
                                answer.intents().stream().map(NodeSources::intent),
                                answer.operations().stream().map(NodeSources::operation))
                        .flatMap(all -> all)
                        .toList());
    }

    private static Statement lease(Lease lease) {
        String container = ", container " + lease.owner().containerId();
        return Statement.of(Topic.LEASE, lease.resource(), "LEASED", "leased to pod " + lease.pod() + container)
                .owned(Optional.of(lease.owner()), Optional.of(lease.pod()))
                .from(lease.since());
    }

    private static Statement hold(Hold hold) {
        String what = hold.purpose() == Hold.Purpose.RESERVED ? "reserved for pod " : "cooling after pod ";
        return Statement.of(Topic.HOLD, hold.resource(), hold.purpose().name(), what + hold.pod())
                .owned(Optional.empty(), Optional.of(hold.pod()));
    }

    private static Statement intent(Intent intent) {
        String action = intent.action().name();
        String pending = action.toLowerCase(Locale.ROOT) + " of " + intent.token() + " is pending";
        return Statement.of(Topic.OPERATION, Set.of(), "", action, pending).from(intent.since());
    }

    private static Statement operation(CloudJournal.Entry entry) {
        CloudOperation operation = entry.operation();
        return Statement.of(
                        Topic.OPERATION,
                        operation instanceof CloudOperation.Unassign unassign
                                ? Statement.hosts(unassign.ips())
                                : Set.of(),
                        operation instanceof CloudOperation.Create ? "" : operation.subject(),
                        operation.name(),
                        operation.name() + " of " + operation.subject() + " was begun and is not known to be over")
                .from(entry.since());
    }

    public static Source<PoolState> pool(IpamEngine engine) {
        return new Source<>(
                Source.POOL,
                PoolState.class,
                AT_ONCE,
                false,
                Optional::empty,
                anew -> CompletableFuture.completedFuture(
                        new PoolState(engine.pool(), engine.leases(), engine.capacityOverride(), engine.pendingWork())),
                NodeSources::poolStatements);
    }

    /** What the engine has in memory. */
    public record PoolState(PoolView pool, List<Lease> leases, CapacityOverride order, PendingWork agenda) {}

    private static List<Statement> poolStatements(PoolState answer) {
        List<Statement> all = new ArrayList<>();
        answer.pool().entries().forEach(entry -> all.add(entry(entry)));
        int place = 1;
        for (WaiterView waiting : answer.agenda().queue()) {
            String words = "waits for an address, place " + place++ + " in the queue";
            all.add(Statement.of(Topic.WAITER, Set.of(), "", "WAITING", words)
                    .owned(Optional.of(waiting.owner()), Optional.of(waiting.pod()))
                    .from(waiting.since()));
        }
        return all;
    }

    private static Statement entry(PoolView.Entry entry) {
        String pod = entry.pod().map(PodRef::toString).orElse("?");
        String user = entry.owner()
                .map(owner -> " by pod " + pod + ", container " + owner.containerId())
                .or(() -> entry.pod().map(known -> ", pod " + known))
                .orElse("");
        String state = entry.state().name();
        return Statement.of(Topic.RESOURCE, entry.resource(), state, state + user)
                .owned(entry.owner(), entry.pod())
                .from(entry.since());
    }

    /**
     * The registry of ENIs: what the cloud's factories have recorded of the cloud.
     *
     * @param used whether any factory works on ENIs
     */
    public static Source<KnownEnis> enis(EniDirectory enis, BooleanSupplier used) {
        return new Source<>(
                Source.ENI_REGISTRY,
                KnownEnis.class,
                AT_ONCE,
                false,
                () -> Optional.of("no address of this node comes from an ENI").filter(why -> !used.getAsBoolean()),
                anew -> CompletableFuture.completedFuture(new KnownEnis(enis.enis())),
                answer -> answer.enis().stream().map(NodeSources::eni).toList());
    }

    /**
     * The ENIs that the factories keep.
     *
     * @param enis ordered by id
     */
    public record KnownEnis(List<EniDirectory.Eni> enis) {
        public Optional<EniDirectory.Eni> eni(String id) {
            return enis.stream().filter(eni -> eni.id().equals(id)).findFirst();
        }
    }

    private static Statement eni(EniDirectory.Eni eni) {
        String has = eni.addresses().size() + " of " + eni.addressLimit() + " addresses";
        String words = "on " + eni.id() + ", which is " + eni.state() + " and has " + has;
        return Statement.of(Topic.ENI, Statement.hosts(eni.all()), eni.id(), eni.state(), words)
                .from(eni.since());
    }

    /**
     * The cloud itself: lists of ENIs and the vSwitches.
     *
     * @param quota what its calls are taken from
     */
    public static Source<CloudAnswer> cloud(CloudAccess cloud, OperatorQuota quota, TimeSource time) {
        return new Source<>(
                Source.CLOUD,
                CloudAnswer.class,
                SOON,
                true,
                () -> noCloud(cloud),
                anew -> askCloud(cloud, quota, time),
                NodeSources::cloudStatements);
    }

    private static Optional<String> noCloud(CloudAccess cloud) {
        if (!cloud.used()) {
            return Optional.of("no address of this node comes from the cloud");
        }
        return cloud.witness().isEmpty() && cloud.trouble().isEmpty()
                ? Optional.of("this daemon's cloud tells nothing but what its factory lists")
                : Optional.empty();
    }

    private static CompletionStage<CloudAnswer> askCloud(CloudAccess cloud, OperatorQuota quota, TimeSource time) {
        CloudInspector inspector = cloud.witness()
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.UNAVAILABLE, cloud.trouble().orElse("the cloud has not answered yet")));
        quota.take(CloudApi.DESCRIBE_NETWORK_INTERFACES, LISTS);
        KnownEnis before = new KnownEnis(cloud.enis());
        Instant asked = time.now();
        Duration lag = cloud.lag();
        return inspector.inspect().thenApply(state -> new CloudAnswer(state, asked, before, lag));
    }

    /**
     * What the cloud has, and what the registry of ENIs had just before: an ENI that is on its way in between is in one
     * of them.
     *
     * @param asked when the cloud was asked
     * @param before the registry before that
     * @param lag how far the cloud's descriptions lag behind this node's own changes, as measured
     */
    public record CloudAnswer(CloudState state, Instant asked, KnownEnis before, Duration lag) {
        public Optional<ObservedEni> eni(String id) {
            return state.enis().stream().filter(eni -> eni.id().equals(id)).findFirst();
        }

        /** Whether an ENI is attached to this node's instance and can be used. */
        public boolean serves(ObservedEni eni) {
            return eni.status().equals("InUse") && eni.instance().equals(state.instance());
        }
    }

    private static List<Statement> cloudStatements(CloudAnswer answer) {
        CloudState state = answer.state();
        return Stream.concat(
                        state.enis().stream().map(eni -> eni(eni, state.instance())),
                        state.vswitches().stream().map(NodeSources::vswitch))
                .toList();
    }

    private static Statement eni(ObservedEni eni, String instance) {
        String where = eni.instance().isEmpty()
                ? "attached to nothing"
                : eni.instance().equals(instance) ? "attached here" : "attached to " + eni.instance();
        String whose = eni.secondary() ? eni.tagged() ? "" : ", without this node's tags" : ", the node's own ENI";
        String words = "on " + eni.id() + ", which is " + eni.status() + " and " + where + whose;
        return Statement.of(Topic.ENI, Statement.hosts(eni.addresses()), eni.id(), eni.status(), words);
    }

    private static Statement vswitch(ObservedVSwitch vswitch) {
        String free = " and has " + vswitch.available() + " free addresses";
        String words = "vSwitch " + vswitch.id() + " is " + vswitch.cidr() + free;
        return Statement.of(Topic.VSWITCH, Set.of(), "", "", words);
    }

    /** The kernel: which sandboxes are connected, and with which addresses. */
    public static Source<Sandboxes> kernel(Datapath kernel) {
        return new Source<>(
                Source.KERNEL,
                Sandboxes.class,
                SOON,
                false,
                Optional::empty,
                anew -> kernel.attached().thenApply(Sandboxes::new),
                answer -> answer.attached().stream().map(NodeSources::sandbox).toList());
    }

    /**
     * The sandboxes that the kernel is connected to.
     *
     * @param attached in no particular order
     */
    public record Sandboxes(List<Attachment> attached) {}

    private static Statement sandbox(Attachment sandbox) {
        String words = (sandbox.addresses().isEmpty() ? "half connected to container " : "routed to container ")
                + sandbox.owner().containerId()
                + sandbox.pod().map(pod -> " of pod " + pod).orElse("");
        return Statement.of(Topic.SANDBOX, Statement.texts(sandbox.addresses()), "", "CONNECTED", words)
                .owned(Optional.of(sandbox.owner()), sandbox.pod());
    }
}

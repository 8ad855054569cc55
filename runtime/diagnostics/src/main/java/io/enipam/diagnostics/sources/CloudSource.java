package io.enipam.diagnostics.sources;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.diagnostics.sources.EniSource.KnownEnis;
import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.CloudInspector.CloudState;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.TimeSource;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** The cloud itself, asked within the operators' quota: lists of ENIs and the vSwitches. */
public final class CloudSource extends Source<CloudSource.CloudAnswer> {
    /** One by the tags of each use of ENIs, one by the instance. */
    private static final int LISTS = EniUse.values().length + 1;

    private final CloudAccess cloud;
    private final OperatorQuota quota;
    private final TimeSource time;

    /** @param quota what its calls are taken from */
    public CloudSource(CloudAccess cloud, OperatorQuota quota, TimeSource time) {
        super(CLOUD, CloudAnswer.class, Duration.ofSeconds(5));
        this.cloud = cloud;
        this.quota = quota;
        this.time = time;
    }

    /**
     * What the cloud has, and what the registry of ENIs had just before: an ENI that is on its way in between is in one of them.
     *
     * @param asked when the cloud was asked
     * @param before the registry before that
     * @param lag how far the cloud's descriptions lag behind this node's own changes, as measured
     */
    public record CloudAnswer(CloudState testimony, Instant asked, KnownEnis before, Duration lag) {
        /** An answer without a lag. */
        public CloudAnswer(CloudState testimony, Instant asked, KnownEnis before) {
            this(testimony, asked, before, Duration.ZERO);
        }

        public Optional<ObservedEni> eni(String id) {
            return testimony.enis().stream().filter(eni -> eni.id().equals(id)).findFirst();
        }

        /** The ENIs that have an address, as a rule one. */
        public Stream<ObservedEni> holders(String address) {
            return testimony.enis().stream().filter(eni -> eni.addresses().contains(address));
        }

        /** Whether an ENI is attached to this node's instance and can be used. */
        public boolean serves(ObservedEni eni) {
            return eni.status().equals("InUse") && eni.instance().equals(testimony.instance());
        }
    }

    @Override
    public Optional<String> absent() {
        if (!cloud.used()) {
            return Optional.of("no address of this node comes from the cloud");
        }
        return cloud.witness().isEmpty() && cloud.trouble().isEmpty()
                ? Optional.of("this daemon's cloud tells nothing but what its factory lists")
                : Optional.empty();
    }

    @Override
    public boolean costly() {
        return true;
    }

    @Override
    public CompletionStage<CloudAnswer> ask() {
        Optional<CloudInspector> inspector = cloud.witness();
        if (inspector.isEmpty()) {
            return CompletableFuture.failedFuture(new FactoryException(
                    ErrorKind.UNAVAILABLE, cloud.trouble().orElse("the cloud has not answered yet")));
        }
        quota.take(CloudApi.DESCRIBE_NETWORK_INTERFACES, LISTS);
        KnownEnis before = new KnownEnis(cloud.enis());
        Instant asked = time.now();
        Duration lag = cloud.lag();
        return inspector.get().inspect().thenApply(state -> new CloudAnswer(state, asked, before, lag));
    }

    @Override
    public List<Statement> statements(CloudAnswer answer) {
        CloudState state = answer.testimony();
        return Stream.concat(
                        state.enis().stream().map(eni -> eni(eni, state.instance())),
                        state.vswitches().stream()
                                .map(vswitch -> Statement.of(
                                        Topic.VSWITCH,
                                        Set.of(),
                                        "",
                                        "",
                                        Optional.empty(),
                                        "vSwitch " + vswitch.id() + " is " + vswitch.cidr() + " and has "
                                                + vswitch.available() + " free addresses")))
                .toList();
    }

    private static Statement eni(ObservedEni eni, String instance) {
        String where = eni.instance().isEmpty()
                ? "attached to nothing"
                : eni.instance().equals(instance) ? "attached here" : "attached to " + eni.instance();
        return Statement.of(
                Topic.ENI,
                Statement.hosts(eni.addresses()),
                eni.id(),
                eni.status(),
                Optional.empty(),
                "on " + eni.id() + ", which is " + eni.status() + " and " + where
                        + (eni.secondary()
                                ? eni.tagged() ? "" : ", without this node's tags"
                                : ", the node's own ENI"));
    }
}

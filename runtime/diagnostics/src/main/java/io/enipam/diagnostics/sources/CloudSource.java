package io.enipam.diagnostics.sources;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.diagnostics.sources.Saying.Topic;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The cloud itself, asked within the people's share: lists of ENIs and the vSwitches. */
public final class CloudSource implements Source<CloudWord> {
    /** One by the tags of each use of ENIs, one by the instance. */
    private static final int LISTS = EniUse.values().length + 1;

    private final CloudAccess cloud;
    private final PeoplesShare share;
    private final TimeSource time;

    /** @param share what its looks are taken from */
    public CloudSource(CloudAccess cloud, PeoplesShare share, TimeSource time) {
        this.cloud = cloud;
        this.share = share;
        this.time = time;
    }

    @Override
    public String name() {
        return "cloud";
    }

    @Override
    public Class<CloudWord> type() {
        return CloudWord.class;
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
    public Duration patience() {
        return Duration.ofSeconds(5);
    }

    @Override
    public CompletionStage<CloudWord> ask() {
        Optional<CloudInspector> witness = cloud.witness();
        if (witness.isEmpty()) {
            return CompletableFuture.failedFuture(new FactoryException(
                    ErrorKind.UNAVAILABLE, cloud.trouble().orElse("the cloud has not answered yet")));
        }
        share.take(CloudApi.DESCRIBE_NETWORK_INTERFACES, LISTS);
        EniBook before = new EniBook(cloud.enis());
        Instant asked = time.now();
        Duration lag = cloud.lag();
        return witness.get().inspect().thenApply(testimony -> new CloudWord(testimony, asked, before, lag));
    }

    @Override
    public List<Saying> sayings(CloudWord told) {
        List<Saying> all = new ArrayList<>();
        told.testimony().enis().forEach(eni -> all.add(eni(eni, told.testimony().instance())));
        told.testimony()
                .vswitches()
                .forEach(vswitch -> all.add(new Saying(
                        Topic.VSWITCH,
                        vswitch.id(),
                        Set.of(),
                        "",
                        Optional.empty(),
                        Optional.empty(),
                        "",
                        Optional.empty(),
                        "vSwitch " + vswitch.id() + " is " + vswitch.cidr() + " and has " + vswitch.available()
                                + " free addresses")));
        return all;
    }

    private static Saying eni(ObservedEni eni, String instance) {
        String where = eni.instance().isEmpty()
                ? "attached to nothing"
                : eni.instance().equals(instance) ? "attached here" : "attached to " + eni.instance();
        return new Saying(
                Topic.ENI,
                eni.id(),
                Saying.hosts(eni.addresses()),
                eni.id(),
                Optional.empty(),
                Optional.empty(),
                eni.status(),
                Optional.empty(),
                "on " + eni.id() + ", which is " + eni.status() + " and " + where
                        + (eni.secondary()
                                ? eni.tagged() ? "" : ", without this node's tags"
                                : ", the node's own ENI"));
    }
}

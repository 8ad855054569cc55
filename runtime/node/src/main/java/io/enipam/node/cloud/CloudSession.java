package io.enipam.node.cloud;

import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.CloudProbe;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.sdk.ResourceFactory;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A cloud that answered.
 *
 * @param node which machine this is
 * @param factories the factory of each use of ENIs, built when first asked for
 * @param leave told that nobody uses the factory of a use any more, while the session goes on
 * @param enis the ENIs, for inspection
 * @param sweeper deletes what this node left behind
 * @param witness what the cloud itself says; empty if it cannot be asked past the factories
 * @param probe asks about what this node depends on; empty if this cloud has none
 * @param places where its next ENIs are made
 * @param closer ends the session; its factories are closed with it
 */
public record CloudSession(
        NodeIdentity node,
        Function<EniUse, ResourceFactory> factories,
        Consumer<EniUse> leave,
        EniDirectory enis,
        EniSweeper sweeper,
        Optional<CloudInspector> witness,
        Optional<CloudProbe> probe,
        EniPlacement places,
        Runnable closer) {
    /** A session with one factory, whatever the use. */
    public CloudSession(
            String instanceId, ResourceFactory factory, EniDirectory enis, EniSweeper sweeper, Runnable closer) {
        this(
                new NodeIdentity(instanceId, ""),
                use -> factory,
                use -> {},
                enis,
                sweeper,
                Optional.empty(),
                Optional.empty(),
                EniPlacement.NONE,
                closer);
    }

    /** The cloud's id of this node's instance. */
    public String instanceId() {
        return node.instanceId();
    }

    /** A session with Alibaba Cloud, or what speaks like it. */
    public static CloudSession of(AliyunCloud cloud) {
        return new CloudSession(
                new NodeIdentity(cloud.instanceId(), cloud.regionId()),
                cloud::factory,
                cloud::drain,
                cloud.enis(),
                cloud.sweeper(),
                Optional.of(cloud.stateReader()),
                Optional.of(cloud.probe()),
                EniPlacement.of(cloud),
                cloud::close);
    }

    /** The factory of addresses, or the one there is. */
    public ResourceFactory factory() {
        return factories.apply(EniUse.ADDRESSES);
    }
}

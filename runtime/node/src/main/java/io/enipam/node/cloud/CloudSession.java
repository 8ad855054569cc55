package io.enipam.node.cloud;

import io.enipam.aliyun.AliyunCloud;
import io.enipam.aliyun.CloudProbe;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.sdk.ResourceFactory;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A cloud that answered.
 *
 * @param node which machine this is
 * @param factories the factory of each use of ENIs
 * @param enis the ENIs, for inspection
 * @param sweeper deletes what this node left behind
 * @param witness what the cloud itself says; empty if it cannot be asked past the factories
 * @param probe asks about what this node depends on; empty if this cloud has none
 * @param places where its next ENIs are made
 * @param closer ends the session; its factories are closed with it
 */
public record CloudSession(
        NodeIdentity node,
        Factories factories,
        EniDirectory enis,
        EniSweeper sweeper,
        Optional<CloudInspector> witness,
        Optional<CloudProbe> probe,
        EniPlacement places,
        Runnable closer) {
    /** The factories of a session. */
    @FunctionalInterface
    public interface Factories {
        /** The factory of a use, built when first asked for. */
        ResourceFactory of(EniUse use);

        /** The factory of a use is closed, while the session goes on. */
        default void leave(EniUse use) {}
    }

    /** A session with one factory, whatever the use. */
    public CloudSession(
            String instanceId, ResourceFactory factory, EniDirectory enis, EniSweeper sweeper, Runnable closer) {
        this(
                new NodeIdentity(instanceId, ""),
                use -> factory,
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
                new Factories() {
                    @Override
                    public ResourceFactory of(EniUse use) {
                        return cloud.factory(use);
                    }

                    @Override
                    public void leave(EniUse use) {
                        cloud.drain(use);
                    }
                },
                cloud.enis(),
                cloud.sweeper(),
                Optional.of(cloud.stateReader()),
                Optional.of(cloud.probe()),
                EniPlacement.of(cloud),
                cloud::close);
    }

    /** The factory of addresses, or the one there is. */
    public ResourceFactory factory() {
        return factories.of(EniUse.ADDRESSES);
    }

    /** Where a cloud's next ENIs are made. Thread-safe. */
    public interface EniPlacement {
        /** Of a cloud that has no vSwitches. */
        EniPlacement NONE = new EniPlacement() {
            @Override
            public void configure(EniConfig enis) {
                // nowhere
            }

            @Override
            public Map<String, String> ranges() {
                return Map.of();
            }
        };

        /**
         * Makes them elsewhere from now on. May block for some seconds.
         *
         * @param enis of which the vSwitches and the choice among them count alone
         * @throws io.enipam.sdk.FactoryException if none can be used, or the cloud does not answer: then all is as before
         */
        void configure(EniConfig enis);

        /** The ranges of the vSwitches by id, at least one where there are any. */
        Map<String, String> ranges();

        /** Those of Alibaba Cloud. */
        static EniPlacement of(AliyunCloud cloud) {
            return new EniPlacement() {
                @Override
                public void configure(EniConfig enis) {
                    cloud.updateVSwitches(enis);
                }

                @Override
                public Map<String, String> ranges() {
                    return cloud.vswitches().stream().collect(Collectors.toMap(VSwitch::id, VSwitch::cidr));
                }
            };
        }
    }
}

package io.enipam.aliyun;

import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ResourceFactory;

/** The cloud as this node sees it: its ENIs and the factory that makes addresses on them. */
public final class AliyunCloud implements AutoCloseable {
    private AliyunCloud() {}

    /**
     * Asks the metadata service who this node is and the API what its instance type allows. Blocks for some seconds at
     * most.
     *
     * @throws io.enipam.sdk.FactoryException if the cloud cannot be asked or says no
     */
    public static AliyunCloud open(AliyunConfig config, TimeSource time, Scheduler scheduler, EventSink events) {
        throw new IllegalStateException("not built: " + config + time + scheduler + events);
    }

    /** The factory of ENI addresses. */
    public ResourceFactory eniIpFactory() {
        throw new IllegalStateException("not built");
    }

    /** The ENIs, for inspection. */
    public EniDirectory enis() {
        throw new IllegalStateException("not built");
    }

    /** This node's instance id. */
    public String instanceId() {
        throw new IllegalStateException("not built");
    }

    @Override
    public void close() {}
}

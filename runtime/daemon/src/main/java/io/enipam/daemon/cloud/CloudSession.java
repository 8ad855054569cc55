package io.enipam.daemon.cloud;

import io.enipam.aliyun.AliyunCloud;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.sdk.ResourceFactory;

/**
 * A cloud that answered.
 *
 * @param instanceId this node's instance
 * @param factory the factory of addresses
 * @param enis the ENIs, for inspection
 * @param sweeper deletes what this node left behind
 * @param closer ends the session; the factory is closed with it
 */
public record CloudSession(
        String instanceId, ResourceFactory factory, EniDirectory enis, EniSweeper sweeper, Runnable closer) {
    /** A session with Alibaba Cloud, or what speaks like it. */
    public static CloudSession of(AliyunCloud cloud) {
        return new CloudSession(cloud.instanceId(), cloud.eniIpFactory(), cloud.enis(), cloud.sweeper(), cloud::close);
    }
}

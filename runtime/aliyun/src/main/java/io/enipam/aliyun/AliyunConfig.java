package io.enipam.aliyun;

import java.net.URI;
import java.util.Optional;

/**
 * How to reach the cloud, and what this node makes in it.
 *
 * @param accessKeyId the account's key
 * @param accessKeySecret the account's secret; never shown
 * @param endpoint ECS and VPC endpoint, for an emulator or a private cloud; empty: the region's own
 * @param metadata base of the metadata service, {@code http://100.100.100.200} on a real node
 * @param enis the ENIs
 */
public record AliyunConfig(
        String accessKeyId, String accessKeySecret, Optional<URI> endpoint, URI metadata, EniConfig enis) {
    @Override
    public String toString() {
        return "AliyunConfig[accessKeyId=" + accessKeyId + ", accessKeySecret=***, endpoint=" + endpoint + ", metadata="
                + metadata + ", enis=" + enis + "]";
    }
}

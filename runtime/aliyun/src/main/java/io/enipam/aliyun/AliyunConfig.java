package io.enipam.aliyun;

import io.enipam.aliyun.client.CallSettings;
import io.enipam.aliyun.credentials.CredentialChoice;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How to reach the cloud, and where this node's addresses come from.
 *
 * @param credentials where the keys come from that calls are signed with; never shown
 * @param calls how often the cloud may be asked, and how patiently
 * @param endpoint ECS and VPC endpoint, for an emulator or a private cloud; empty: the region's own
 * @param metadata base of the metadata service, {@code http://100.100.100.200} on a real node
 * @param vswitches vSwitch ids by zone, in order of preference; the node's own vSwitch if its zone has none
 * @param securityGroups 0 to 10; empty: the instance's own
 * @param tags put on every ENI this node makes, beside the creator and node tags
 * @param maxEni upper bound on secondary ENIs beside the instance type's
 */
public record AliyunConfig(
        CredentialChoice credentials,
        CallSettings calls,
        Optional<URI> endpoint,
        URI metadata,
        Map<String, List<String>> vswitches,
        List<String> securityGroups,
        Map<String, String> tags,
        int maxEni) {}

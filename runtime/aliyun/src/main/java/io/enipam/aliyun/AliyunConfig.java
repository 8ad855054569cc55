package io.enipam.aliyun;

import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import java.net.URI;
import java.util.Optional;

/**
 * How to reach the cloud, and what this node makes in it.
 *
 * @param credentials where the keys come from that calls are signed with; never shown
 * @param calls how often the cloud may be asked, and how patiently
 * @param endpoint ECS and VPC endpoint, for an emulator or a private cloud; empty: the region's own
 * @param metadata base of the metadata service, {@code http://100.100.100.200} on a real node
 * @param known asked, where pods have addresses of both families, which of them belong to one pod
 */
public record AliyunConfig(
        CredentialsConfig credentials,
        CallConfig calls,
        Optional<URI> endpoint,
        URI metadata,
        EniConfig enis,
        KnownAddressPairs known) {
    public AliyunConfig(
            CredentialsConfig credentials, CallConfig calls, Optional<URI> endpoint, URI metadata, EniConfig enis) {
        this(credentials, calls, endpoint, metadata, enis, KnownAddressPairs.NONE);
    }

    public AliyunConfig withEnis(EniConfig others) {
        return new AliyunConfig(credentials, calls, endpoint, metadata, others, known);
    }

    public AliyunConfig withKnownPairs(KnownAddressPairs pairs) {
        return new AliyunConfig(credentials, calls, endpoint, metadata, enis, pairs);
    }
}

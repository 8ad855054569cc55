package io.enipam.aliyun;

import io.enipam.aliyun.client.CallSettings;
import io.enipam.aliyun.credentials.CredentialChoice;
import io.enipam.aliyun.eni.KnownPairs;
import java.net.URI;
import java.util.Optional;

/**
 * How to reach the cloud, and what this node makes in it.
 *
 * @param credentials where the keys come from that calls are signed with; never shown
 * @param calls how often the cloud may be asked, and how patiently
 * @param endpoint ECS and VPC endpoint, for an emulator or a private cloud; empty: the region's own
 * @param metadata base of the metadata service, {@code http://100.100.100.200} on a real node
 * @param enis the ENIs
 * @param known asked, where pods have addresses of both families, which of them somebody has together
 */
public record AliyunConfig(
        CredentialChoice credentials,
        CallSettings calls,
        Optional<URI> endpoint,
        URI metadata,
        EniConfig enis,
        KnownPairs known) {
    /** For a node that knows nobody. */
    public AliyunConfig(
            CredentialChoice credentials, CallSettings calls, Optional<URI> endpoint, URI metadata, EniConfig enis) {
        this(credentials, calls, endpoint, metadata, enis, KnownPairs.NONE);
    }

    /** The same with other ENIs. */
    public AliyunConfig making(EniConfig others) {
        return new AliyunConfig(credentials, calls, endpoint, metadata, others, known);
    }

    /** The same on a node that knows who has which addresses. */
    public AliyunConfig knowing(KnownPairs pairs) {
        return new AliyunConfig(credentials, calls, endpoint, metadata, enis, pairs);
    }
}

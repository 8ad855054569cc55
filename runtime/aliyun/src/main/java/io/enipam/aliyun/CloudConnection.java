package io.enipam.aliyun;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.MetadataClient;
import io.enipam.aliyun.client.MetadataClient.NodeIdentity;
import io.enipam.aliyun.client.RetryingEcsApi;
import io.enipam.aliyun.client.RetryingEcsApi.CallContext;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport;
import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.aliyun.client.SdkEcsApi;
import io.enipam.aliyun.credentials.CredentialsProvider;
import io.enipam.aliyun.lent.CloudLender;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The client of the cloud: the instance that this host is, the keys that calls are signed with, and the calls. It has nothing to
 * close. Thread-safe.
 */
public record CloudConnection(
        NodeIdentity host, MetadataClient metadata, CredentialsProvider keys, EcsApi api, Sleeper pauses) {
    /**
     * Asks the metadata service for instance and region, and the API for nothing. Blocks for some seconds at most.
     *
     * @param book where every call is written down
     * @throws io.enipam.sdk.FactoryException if the metadata service does not answer, or the configuration of keys is wrong
     */
    public static CloudConnection open(
            AliyunConfig config, ApiCallLog book, TimeSource time, EventSink events, Sleeper pauses) {
        MetadataClient metadata = new MetadataClient(config.metadata(), book.metadata());
        NodeIdentity host = metadata.identity();
        CredentialsProvider keys = CredentialsProvider.of(config.credentials(), metadata, time);
        EcsTransport wire = SdkEcsApi.transport(keys, host.regionId(), config.endpoint());
        EcsApi api = new RetryingEcsApi(new CallContext(wire, keys, book, config.calls(), events, time, pauses));
        return new CloudConnection(host, metadata, keys, api, pauses);
    }

    /**
     * What plugins' calls go through on a host that is no node: those of the VPC.
     *
     * @param leads whether this replica may change anything
     */
    public CloudLender.Session lend(BooleanSupplier leads) {
        return new CloudLender.Session(api, pauses, host.vpcId(), leads, Optional.empty());
    }
}

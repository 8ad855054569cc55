package io.enipam.aliyun.client;

import io.enipam.aliyun.api.EcsApi;

/** Where calls go over the wire: each call once, no longer than its caller has time. */
@FunctionalInterface
public interface Wire {
    /** The APIs, for one attempt, which notes what the cloud called it. */
    EcsApi within(Attempt attempt);
}

package io.enipam.daemon.cloud;

import io.enipam.aliyun.AliyunConfig;

/** A cloud in this process. */
public interface CloudEmulation extends AutoCloseable {
    /** How this node reaches it. */
    AliyunConfig client();

    @Override
    void close();
}

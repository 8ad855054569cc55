package io.enipam.node.cloud;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.emulator.control.CloudControl;
import java.util.Optional;

/** A cloud in this process. */
public interface CloudEmulation extends AutoCloseable {
    /** How this node reaches it. */
    AliyunConfig client();

    /** The hand behind it, by which things are made to go wrong; empty if it has none. */
    default Optional<CloudControl> control() {
        return Optional.empty();
    }

    @Override
    void close();
}

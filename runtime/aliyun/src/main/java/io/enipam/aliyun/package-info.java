/**
 * The cloud's client on Alibaba's SDK, and the factory that makes ENI addresses with it. It implements the SDK's
 * ResourceFactory and the engine's EniDirectory; the daemon alone calls it.
 */
@NullMarked
package io.enipam.aliyun;

import org.jspecify.annotations.NullMarked;

/**
 * The way to the cloud: opening it as often as it takes, and standing in for its factory and ENIs until it answers. It
 * wraps {@code io.enipam.aliyun} and, in a sandbox, {@code io.enipam.emulator}; the engine sees it as a ResourceFactory.
 */
@NullMarked
package io.enipam.node.cloud;

import org.jspecify.annotations.NullMarked;

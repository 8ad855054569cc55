/**
 * Access to the cloud: it retries the opening, and stands in for the cloud's factory and ENIs until the cloud answers.
 * It wraps {@code io.enipam.aliyun} and, in a sandbox, {@code io.enipam.emulator}; the engine sees it as a
 * ResourceFactory.
 */
@NullMarked
package io.enipam.node.cloud;

import org.jspecify.annotations.NullMarked;

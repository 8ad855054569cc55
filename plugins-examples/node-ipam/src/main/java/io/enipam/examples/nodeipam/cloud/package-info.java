/**
 * The allocators of the cloud: a node's block is the one that the cloud leads to its instance, or the cloud is told which one that is.
 * It adds to {@code assign} what the cloud has; only the root imports it.
 */
@NullMarked
package io.enipam.examples.nodeipam.cloud;

import org.jspecify.annotations.NullMarked;

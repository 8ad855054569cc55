/**
 * The network that the cloud's books speak of: namespaces for the VPC and its instances, and a real link for each attached
 * ENI. It imports the cloud package. The emulator's start opens it; the gateway waits for it through
 * {@link io.enipam.emulator.cloud.CloudStateListener}.
 */
@NullMarked
package io.enipam.emulator.dataplane;

import org.jspecify.annotations.NullMarked;

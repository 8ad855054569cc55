/**
 * The network of the cloud: namespaces for the VPC and its instances, and a real link for each attached ENI. It imports the
 * cloud package. The emulator's start opens it; the gateway waits for it as a listener of the cloud's state.
 */
@NullMarked
package io.enipam.emulator.dataplane;

import org.jspecify.annotations.NullMarked;

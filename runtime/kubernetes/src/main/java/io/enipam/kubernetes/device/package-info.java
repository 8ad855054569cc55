/**
 * The node's extended resource, through the kubelet's device plugin API: how many pods can have an ENI of their own, so
 * that the scheduler places no more. Speaks gRPC on unix sockets in the kubelet's directory; uses no other package
 * here.
 */
@NullMarked
package io.enipam.kubernetes.device;

import org.jspecify.annotations.NullMarked;

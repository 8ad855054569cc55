/**
 * The extended resource of the node, by the kubelet's device plugin API: how many pods can have an ENI of their own, so that the
 * scheduler sends no more. Speaks gRPC on unix sockets in the kubelet's directory; stands on no other room.
 */
@NullMarked
package io.enipam.kubernetes.device;

import org.jspecify.annotations.NullMarked;

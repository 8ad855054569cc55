/**
 * Kinds of links: how a pod is connected by one, disconnected, and how the kernel looks when all is well. Each kind is a
 * {@link io.enipam.datapath.link.LinkKind}; what kinds share lies beside them. The package imports iproute and record.
 */
@NullMarked
package io.enipam.datapath.link;

import org.jspecify.annotations.NullMarked;

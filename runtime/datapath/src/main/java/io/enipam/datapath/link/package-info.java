/**
 * A kind of link: how a pod is connected by it, disconnected, and how the kernel looks when all is well. Everything that kinds
 * have in common is here; each kind has a room of its own.
 */
@NullMarked
package io.enipam.datapath.link;

import org.jspecify.annotations.NullMarked;

/** The plugin {@code node-ipam}: blocks of addresses for the nodes of a cluster. This package wires the others, and none of them imports it. */
@NullMarked
package io.enipam.examples.nodeipam;

import org.jspecify.annotations.NullMarked;

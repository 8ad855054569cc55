/**
 * Pods with an ENI of their own: the NIC itself is the pod's link, and a veth pair beside it leads to the node what shall go
 * through the node, services first of all.
 */
@NullMarked
package io.enipam.datapath.exclusive;

import org.jspecify.annotations.NullMarked;

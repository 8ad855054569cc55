/**
 * Pods that share an ENI as its ipvlan slaves, terway's eniip_virtual_type IPVlan: their packets leave by the ENI without passing
 * the node's tables, and what is for services is led back to them by a filter.
 */
@NullMarked
package io.enipam.datapath.ipvlan;

import org.jspecify.annotations.NullMarked;

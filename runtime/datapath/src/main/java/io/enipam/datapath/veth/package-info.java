/** Pods that share an ENI through veth pairs: rules lead what comes from a pod to its ENI, and what is for a pod to its veth. */
@NullMarked
package io.enipam.datapath.veth;

import org.jspecify.annotations.NullMarked;

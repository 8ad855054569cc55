/**
 * Pods without a cluster: the simulated API server of a sandbox, and the directory that accepts the data of a CNI call.
 * Both implement the engine's PodDirectory port; the daemon's wiring chooses, and the Control service admits and
 * deletes pods.
 */
@NullMarked
package io.enipam.node.pods;

import org.jspecify.annotations.NullMarked;

package io.enipam.daemon.doctor.fact;

import io.enipam.daemon.cluster.ClusterState;

/** How the link to the cluster fares. */
public record ClusterFacts(ClusterState state) {}

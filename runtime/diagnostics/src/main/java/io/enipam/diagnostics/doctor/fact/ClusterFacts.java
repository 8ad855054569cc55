package io.enipam.diagnostics.doctor.fact;

import io.enipam.node.cluster.ClusterInspector.ClusterState;

/** How the link to the cluster fares. */
public record ClusterFacts(ClusterState state) {}

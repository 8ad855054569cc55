package io.enipam.kubernetes.pods;

import io.enipam.engine.model.Pod;

/** A pod of this node as the API server told it, for those who look: what the engine knows of it, and the rest. */
public record PodWithDetails(Pod pod, PodDetails details) {}

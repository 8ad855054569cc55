package io.enipam.kubernetes.pods;

import io.enipam.engine.model.Pod;

/**
 * A pod as the watch has it.
 *
 * @param pod as the engine knows it
 * @param noted its annotation {@code k8s.aliyun.com/pod-ips}, or empty text
 */
public record WatchedPod(Pod pod, String noted) {}

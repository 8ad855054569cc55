package io.enipam.engine.model;

import io.enipam.sdk.PodRef;
import java.time.Duration;

/**
 * What the engine knows of a pod.
 *
 * @param ref namespace and name
 * @param uid the API server's UID, or empty text where nobody told it
 * @param finished whether it has run to its end (phase Succeeded or Failed): such a pod counts as gone
 * @param stick how long its address shall be kept for it after a DEL; zero for a pod that does not care
 */
public record Pod(PodRef ref, String uid, boolean finished, Duration stick) {}

package io.enipam.engine.model;

import java.time.Instant;
import java.util.Optional;

/**
 * A pod as it was last seen: what the node goes by when the API server does not answer.
 *
 * @param pod the pod, as it was then
 * @param lastSeen when it was last seen alive
 * @param expires empty while the pod is there, as far as is known; once it is gone, when the copy goes, too
 */
public record PodCopy(Pod pod, Instant lastSeen, Optional<Instant> expires) {}

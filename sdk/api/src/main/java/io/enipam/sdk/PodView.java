package io.enipam.sdk;

import java.util.Map;

/**
 * A pod as a policy sees it. The host makes it; more may be added, with a default.
 *
 * <p>Labels and annotations are what the daemon's watch of the API server has last heard of a pod of this name: no request is
 * made for them. They are empty where it has heard of none: after a restart until the API server answers, for a pod whose
 * deletion was heard of and that has its address still, and on a node that asks no API server. Of one pod at most 64 of each
 * are kept, those whose names come first; an annotation longer than 1,024 characters is left out.
 *
 * <p>One object answers the same at each call. Two objects are not compared: {@link #ref()} names the pod. Thread-safe.
 */
public interface PodView {
    /** Namespace and name. */
    PodRef ref();

    /** Immutable. */
    Map<String, String> labels();

    /** Immutable. */
    Map<String, String> annotations();

    /** A pod of which nothing but its name is known. */
    static PodView of(PodRef ref) {
        return of(ref, Map.of(), Map.of());
    }

    /** A pod for a test. */
    static PodView of(PodRef ref, Map<String, String> labels, Map<String, String> annotations) {
        record Given(PodRef ref, Map<String, String> labels, Map<String, String> annotations) implements PodView {}
        return new Given(ref, Map.copyOf(labels), Map.copyOf(annotations));
    }
}

package io.enipam.sdk;

import java.util.Map;

/** The owner of a {@link Claim}. Immutable. */
public interface Subject {
    /** What an owner is. */
    enum Kind {
        POD,
        NODE,
        NETWORK,
        SERVICE,
        TASK
    }

    Kind kind();

    /** Of a pod {@code NAMESPACE/NAME}; of a sandbox whose caller names no pod, its container's id. */
    String name();

    /** Of a pod its UID, which no other pod ever has; empty text where the host does not know it. */
    default String uid() {
        return "";
    }

    /** Empty where the host does not know them. */
    Map<String, String> labels();

    /** Empty where the host does not know them. */
    Map<String, String> annotations();
}

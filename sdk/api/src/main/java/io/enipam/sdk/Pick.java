package io.enipam.sdk;

import java.util.Objects;

/** Which idle resource to lend: the longest idle one, or one by name. Or none: the pod is refused. */
public sealed interface Pick {
    /** Terway's order: the resource that was given back first is lent first. Costs nothing: the engine finds it by itself. */
    record LongestIdle() implements Pick {}

    /**
     * This one. If it is no longer idle when the answer arrives, the engine asks again.
     *
     * @param id an idle resource of the snapshot
     */
    record Chosen(ResourceId id) implements Pick {}

    /**
     * None: the pod's ADD fails at once, with this kind and this message, which the runtime shows in the pod's events. The
     * runtime tries again later, with a back-off of its own, as after each failed ADD.
     *
     * @param kind what sort of refusal; for programs
     * @param message for the author of the pod: what is refused, why, and what would help; no secrets. One line of 1 to 500
     *     characters: the host replaces line breaks, and cuts what is longer
     */
    record Refused(ErrorKind kind, String message) implements Pick {
        public Refused {
            Objects.requireNonNull(kind, "a refusal has a kind");
            Objects.requireNonNull(message, "a refusal has a message");
        }
    }

    static Pick longestIdle() {
        return new LongestIdle();
    }

    static Pick chosen(ResourceId id) {
        return new Chosen(id);
    }

    /** The pod gets nothing; see {@link Refused}. */
    static Pick refuse(ErrorKind kind, String message) {
        return new Refused(kind, message);
    }
}

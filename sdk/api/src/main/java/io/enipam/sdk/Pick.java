package io.enipam.sdk;

/** Which idle resource to lend: the longest idle one, or one by name. */
public sealed interface Pick {
    /** Terway's order: the resource that was given back first is lent first. Costs nothing: the engine finds it by itself. */
    record LongestIdle() implements Pick {}

    /**
     * This one. If it is no longer idle when the answer arrives, the engine asks again.
     *
     * @param id an idle resource of the snapshot
     */
    record Chosen(ResourceId id) implements Pick {}

    static Pick longestIdle() {
        return new LongestIdle();
    }

    static Pick chosen(ResourceId id) {
        return new Chosen(id);
    }
}

package io.enipam.sdk;

/** Where a resource stands in its life. The engine owns the transitions; a policy only sees the state. */
public enum ResourceState {
    /** Asked of the factory, not there yet. */
    CREATING,
    /** Free to be lent. */
    IDLE,
    /** Lent to an owner. */
    IN_USE,
    /** Given back a moment ago; no pod gets it until its cool-down ends. */
    COOLING,
    /** Kept for the pod that had it. */
    RESERVED,
    /** The outside lost it: never lent again. */
    INVALID,
    /** On its way back to the factory. */
    DISPOSING
}

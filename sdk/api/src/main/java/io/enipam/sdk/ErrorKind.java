package io.enipam.sdk;

/** Why a factory could not do a thing: the engine's reaction depends on this alone, never on a message. */
public enum ErrorKind {
    /** No more of this resource can exist here: an instance, account or type limit. Ask again only after a dispose. */
    QUOTA_EXHAUSTED,
    /** The place addresses come from (a vSwitch, a range) has none left. */
    ADDRESSES_EXHAUSTED,
    /** The provider asked for fewer calls. */
    THROTTLED,
    /** A passing failure: the next try may succeed. */
    UNAVAILABLE,
    /** No answer in time. Whether the thing was done is unknown. */
    DEADLINE_EXCEEDED,
    /** Wrong credentials or missing permissions. */
    UNAUTHORIZED,
    /** The configuration names something that does not exist or may not be used. */
    MISCONFIGURED,
    /** The resource is in a state that forbids the operation now. */
    CONFLICT,
    /** There is no such resource. A dispose that meets this has succeeded. */
    NOT_FOUND,
    /** A bug of the factory. */
    INTERNAL;

    /** Whether doing the same again, later, may help without anybody changing anything. */
    public boolean transientFailure() {
        return switch (this) {
            case THROTTLED, UNAVAILABLE, DEADLINE_EXCEEDED, CONFLICT, ADDRESSES_EXHAUSTED, QUOTA_EXHAUSTED -> true;
            case UNAUTHORIZED, MISCONFIGURED, NOT_FOUND, INTERNAL -> false;
        };
    }
}

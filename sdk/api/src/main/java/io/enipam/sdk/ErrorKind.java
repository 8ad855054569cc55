package io.enipam.sdk;

/**
 * Why a factory could not do a thing: the engine's reaction depends on this alone, never on a message.
 *
 * <table>
 * <caption>What the engine does</caption>
 * <tr><th>kind</th><th>of a create</th><th>of a disposal</th></tr>
 * <tr><td>{@link #NOT_FOUND}</td><td>back-off, then another try</td><td>counts as {@link Disposed}</td></tr>
 * <tr><td>{@link #UNAUTHORIZED}, {@link #MISCONFIGURED}</td><td>every waiting ADD fails at once, and so does one that
 * comes before the next try and would have to wait; another try after half a minute to a minute, as long as the pool
 * lacks one</td>
 *     <td>as every other kind</td></tr>
 * <tr><td>every other kind</td><td>back-off, then another try with a new token, as long as the pool lacks one</td>
 *     <td>back-off of this resource alone, then another try, without end</td></tr>
 * </table>
 *
 * <p>Back-off is 0.5 s after the first failure in a row, twice as long after each further one, at most a minute, with
 * jitter down to a half; {@link Failed#retryAfter()} makes it longer. Creates back off together, for the next one is
 * not tied to the one that failed; a create that works ends it. After a failure of any other kind than those two, a
 * caller that waits for a resource waits on until its own deadline, and then gets the message of the last failure. The
 * kind is in the event {@code ResourceCreateFailed} or {@code ResourceDisposeFailed}, by which operators and alerts
 * distinguish a quota from an outage; of a create that an operator has to repair it is published once in ten minutes,
 * not at each try. A list that fails is asked for again; until it works, the engine changes nothing on its account.
 */
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

    /** Whether doing the same again, later, may help without a change by an operator. */
    public boolean transientFailure() {
        return switch (this) {
            case THROTTLED, UNAVAILABLE, DEADLINE_EXCEEDED, CONFLICT, ADDRESSES_EXHAUSTED, QUOTA_EXHAUSTED -> true;
            case UNAUTHORIZED, MISCONFIGURED, NOT_FOUND, INTERNAL -> false;
        };
    }
}

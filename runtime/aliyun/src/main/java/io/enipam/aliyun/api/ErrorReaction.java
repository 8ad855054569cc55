package io.enipam.aliyun.api;

/** What to do about a failure of the cloud. {@link ErrorReactions} says which code asks for which. */
public enum ErrorReaction {
    /** The vSwitch has no address left: leave it alone for ten minutes and take the next one. */
    NEXT_VSWITCH,
    /** The instance has all the ENIs it may have: delete the one just made and make none for a minute. */
    INHIBIT_CREATES,
    /** Our count of the ENI's addresses is wrong: read the ENI again. */
    RESYNC_ENI,
    /** The object is on its way to another state: look, wait, ask again. */
    WAIT_FOR_STATE,
    /** Nothing was done: wait with jitter and ask again. */
    BACK_OFF,
    /** Whether it was done is unknown: ask again with the same client token, or look first where there is none. */
    RETRY_SAME_TOKEN,
    /** The credentials are no longer good: take newer ones, if there are any, and ask again once. */
    NEWER_CREDENTIALS,
    /** There is no such object: success when it was to go. */
    GONE,
    /** The address is not on the ENI: success when it was to go. */
    ALREADY_DONE,
    /** The address is taken or cannot be had: ask for another. */
    OTHER_ADDRESS,
    /** Asking again does not help until somebody changes something: fail and tell. */
    GIVE_UP,
    /** Credentials, permissions or configuration are wrong: fail and tell. */
    STOP
}

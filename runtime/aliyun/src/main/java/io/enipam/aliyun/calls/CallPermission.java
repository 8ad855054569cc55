package io.enipam.aliyun.calls;

import java.time.Duration;

/** Whether an API may be called now. */
public sealed interface CallPermission {
    /**
     * It may, and the call is counted.
     *
     * @param window the minute it is counted in, to be given back with the outcome
     */
    record Granted(long window) implements CallPermission {}

    /**
     * It may not before this time has passed.
     *
     * @param after more than zero
     * @param why in words, for a person
     */
    record Held(Duration after, String why) implements CallPermission {}
}

package io.enipam.aliyun.calls;

import java.time.Duration;
import java.time.Instant;

/**
 * One call of the cloud as its caller saw it: with its retries and waits, whether it worked or not.
 *
 * @param sequence counts the calls, from 1
 * @param at when it ended
 * @param api the cloud's name of the API
 * @param target what it was about: an id, or a few words
 * @param took from beginning to end
 * @param code the code of its failure, empty text if it worked
 * @param requestId the cloud's name of the last attempt, or empty text
 * @param attempts how often it went over the wire; 0 if it was held back
 */
public record CloudCall(
        long sequence,
        Instant at,
        String api,
        String target,
        Duration took,
        String code,
        String requestId,
        int attempts) {
    /** Whether it failed. */
    public boolean failed() {
        return !code.isEmpty();
    }
}

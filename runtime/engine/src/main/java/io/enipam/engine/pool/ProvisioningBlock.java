package io.enipam.engine.pool;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import java.time.Instant;

/**
 * Why nothing can be made until somebody changes something. While it lasts nobody waits for a create: who would have to, is
 * told.
 *
 * @param failed what the factory said
 * @param since when it said so first
 * @param untilNanos when the next create is tried
 */
record ProvisioningBlock(Failed failed, Instant since, long untilNanos) {
    /** Whether waiting for the next try is of no use, as far as the factory can tell. */
    static boolean raisedBy(ErrorKind kind) {
        return kind == ErrorKind.MISCONFIGURED || kind == ErrorKind.UNAUTHORIZED;
    }
}

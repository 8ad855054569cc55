package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.time.Instant;

/**
 * A caller in the pool's queue, for inspection.
 *
 * @param owner the sandbox that is to get an address
 * @param pod its pod
 * @param since when it began to wait
 * @param until when it is told that there is none
 */
public record WaiterView(OwnerKey owner, PodRef pod, Instant since, Instant until) {}

package io.enipam.engine.pool;

import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.Span;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A caller in the pool's queue. The thread that takes it out of the queue, under the pool's lock, answers it. */
final class Waiter {
    final OwnerKey owner;
    final PodView asker;
    final PodRef pod;
    final Duration timeout;
    /** {@code nanoTime} at which it came into the queue. */
    final long since;

    final Span span;

    /** Whether it has waited so long that it takes a reservation of another pod. */
    boolean impatient;

    final CompletableFuture<Resource> answer = new CompletableFuture<>();
    Scheduler.@Nullable Cancellable timer;

    Waiter(OwnerKey owner, PodView asker, Duration timeout, long since, Span span) {
        this.owner = owner;
        this.asker = asker;
        this.pod = asker.ref();
        this.timeout = timeout;
        this.since = since;
        this.span = span;
    }
}

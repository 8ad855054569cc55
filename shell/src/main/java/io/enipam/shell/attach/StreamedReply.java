package io.enipam.shell.attach;

import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The parts of an answer as they arrive, until the last is taken or the context ends. Only the time counts in which the
 * daemon is waited for: an operator may read in the pager for an hour between two parts, at which a deadline of the
 * call would cut the list. For one thread.
 */
final class StreamedReply<T> implements Iterator<T> {
    /** Does something later. Thread-safe. */
    interface Alarm {
        /** @return takes it back */
        Runnable in(long nanos, Runnable what);
    }

    /** Makes the error for the operator from what the call throws. */
    interface Failure {
        /** @param begun whether a part arrived before */
        RuntimeException of(RuntimeException thrown, boolean begun);
    }

    private final CancellableContext context = Context.current().withCancellation();
    private final Alarm alarm;
    private final LongSupplier nanos;
    private final Iterator<T> parts;
    private final Failure failure;
    private long left;
    private boolean begun;

    /** @param within for how long the daemon may be waited for in all; then {@code hasNext} fails as at a deadline */
    StreamedReply(Duration within, Alarm alarm, LongSupplier nanos, Failure failure, Supplier<Iterator<T>> call) {
        this.left = within.toNanos();
        this.alarm = alarm;
        this.nanos = nanos;
        this.failure = failure;
        Context outer = context.attach();
        try {
            this.parts = call.get();
        } finally {
            context.detach(outer);
        }
    }

    @Override
    public boolean hasNext() {
        long asked = nanos.getAsLong();
        Runnable calm = alarm.in(
                Math.max(0, left), () -> context.cancel(new TimeoutException("the daemon was waited for too long")));
        boolean more = false;
        try {
            more = parts.hasNext();
            begun |= more;
            return more;
        } catch (RuntimeException e) {
            throw failure.of(e, begun);
        } finally {
            calm.run();
            left -= nanos.getAsLong() - asked;
            if (!more) {
                context.cancel(null);
            }
        }
    }

    @Override
    public T next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return parts.next();
    }
}

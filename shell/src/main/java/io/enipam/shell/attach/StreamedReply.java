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
 * The parts of an answer as they arrive. Only the time counts in which the daemon is waited for: what whoever takes the parts
 * does with them may take as long as it likes, as somebody who reads them in the pager does. A deadline of the call itself would
 * cut the list below the reader's eyes.
 *
 * <p>The call lasts until its last part is taken, or until the context ends that this was made in. For one thread.
 */
final class StreamedReply<T> implements Iterator<T> {
    /** Does something later. Thread-safe. */
    interface Alarm {
        /** @return takes it back */
        Runnable in(long nanos, Runnable what);
    }

    private final CancellableContext context = Context.current().withCancellation();
    private final Alarm alarm;
    private final LongSupplier nanos;
    private final Iterator<T> parts;
    private long left;

    /**
     * @param within for how long the daemon may be waited for in all; then {@code hasNext} fails as at a deadline
     * @param nanos a clock that only goes forward
     * @param call begins the call; it ends when its context is cancelled
     */
    StreamedReply(Duration within, Alarm alarm, LongSupplier nanos, Supplier<Iterator<T>> call) {
        this.left = within.toNanos();
        this.alarm = alarm;
        this.nanos = nanos;
        Context outer = context.attach();
        try {
            this.parts = call.get();
        } finally {
            context.detach(outer);
        }
    }

    @Override
    public boolean hasNext() {
        long begun = nanos.getAsLong();
        Runnable calm = alarm.in(
                Math.max(0, left), () -> context.cancel(new TimeoutException("the daemon was waited for too long")));
        boolean more = false;
        try {
            more = parts.hasNext();
            return more;
        } finally {
            calm.run();
            left -= nanos.getAsLong() - begun;
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

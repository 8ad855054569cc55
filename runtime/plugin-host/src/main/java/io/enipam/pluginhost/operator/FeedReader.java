package io.enipam.pluginhost.operator;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.pluginhost.guard.GuardedCalls;
import io.enipam.sdk.Feed;
import io.enipam.sdk.RpcException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads a feed of a plugin's for one caller, as fast as the caller reads: what is not taken yet is the plugin's, and what is taken is sent.
 * Thread-safe; {@code this} guards all fields, and lets one thread at a time send.
 *
 * <p>A take begins when the caller is ready, there may be more, and no other take is under way. It runs on a thread of the plugin's, which
 * it has for no longer than that; a caller that waits for hours costs none. A call of {@code more} that comes during a take leads to another
 * one.
 */
public final class FeedReader<T> implements AutoCloseable {
    private static final Duration TAKE = Duration.ofSeconds(5);
    private static final int MOST = 100;

    private final String what;
    private final GuardedCalls calls;
    private final Reader<T> reader;
    private final Consumer<FeedReader<T>> leave;
    private final AtomicReference<Feed<T>> feed = new AtomicReference<>();

    @GuardedBy("this")
    private boolean done;

    @GuardedBy("this")
    private boolean taking;

    @GuardedBy("this")
    private boolean more = true;

    /** The caller. Its methods are called by one thread at a time, and do not block. */
    public interface Reader<T> {
        /** Whether it has read what was sent, but for a little. */
        boolean ready();

        void next(List<T> some);

        /** Nothing more comes. The last call. */
        void ended();

        /** Nothing more comes, since the plugin or the host says so. The last call. */
        void failed(Throwable why);
    }

    /** @param leave called when the caller has left */
    FeedReader(String what, GuardedCalls calls, Reader<T> reader, Consumer<FeedReader<T>> leave) {
        this.what = what;
        this.calls = calls;
        this.reader = reader;
        this.leave = leave;
    }

    /** Has the plugin open the feed, given what it runs when there may be more, and begins to read it. */
    void begin(Function<Runnable, Feed<T>> open) {
        calls.open(what, TAKE, () -> open.apply(this::more), this::giveBack).whenComplete((opened, failure) -> {
            if (failure != null) {
                end(() -> reader.failed(Stages.cause(failure)));
                return;
            }
            feed.set(opened);
            boolean left;
            synchronized (this) {
                left = done;
            }
            if (left) {
                closeFeed();
            } else {
                pump();
            }
        });
    }

    /** There may be more. On any thread of the plugin's. */
    private void more() {
        synchronized (this) {
            more = true;
        }
        pump();
    }

    /** The caller may be ready. */
    public void pump() {
        Feed<T> open = feed.get();
        synchronized (this) {
            if (open == null || done || taking || !more || !reader.ready()) {
                return;
            }
            taking = true;
            more = false;
        }
        calls.call("more of " + what, TAKE, () -> taken(open)).whenComplete((taken, failure) -> took(taken, failure));
    }

    private record Taken<T>(List<T> some, boolean last, Optional<PluginRpc.Status> status) {}

    /** On the plugin's thread. */
    private static <T> Taken<T> taken(Feed<T> feed) {
        List<T> some;
        try {
            some = List.copyOf(feed.take(MOST));
        } catch (RpcException e) {
            // an answer like any other, as far as the breaker goes
            return new Taken<>(List.of(), true, Optional.of(new PluginRpc.Status(e)));
        }
        if (some.size() > MOST) {
            throw new IllegalStateException("it gave " + some.size() + " of which " + MOST + " were asked for");
        }
        return new Taken<>(some, some.isEmpty() && feed.ended(), Optional.empty());
    }

    private void took(Taken<T> taken, Throwable failure) {
        if (failure != null) {
            end(() -> reader.failed(Stages.cause(failure)));
        } else if (taken.last()) {
            end(() -> taken.status().ifPresentOrElse(reader::failed, reader::ended));
        } else {
            synchronized (this) {
                taking = false;
                if (done) {
                    return;
                }
                if (!taken.some().isEmpty()) {
                    more = true;
                    reader.next(taken.some());
                }
            }
            pump();
        }
    }

    /** Its extension ends, and so does this. */
    void stop() {
        end(() -> reader.failed(new IpamException(
                ErrorCode.TRY_AGAIN,
                what + " ends: the extension is closed, and perhaps opened anew",
                "follow it again in a moment")));
    }

    /** The caller has left. */
    @Override
    public void close() {
        end(() -> {});
    }

    private void end(Runnable say) {
        synchronized (this) {
            if (done) {
                return;
            }
            done = true;
            say.run();
        }
        leave.accept(this);
        closeFeed();
    }

    private void closeFeed() {
        Feed<T> open = feed.getAndSet(null);
        if (open != null) {
            giveBack(open);
        }
    }

    private void giveBack(Feed<T> open) {
        calls.call("close of " + what, TAKE, () -> {
            open.close();
            return true;
        });
    }
}

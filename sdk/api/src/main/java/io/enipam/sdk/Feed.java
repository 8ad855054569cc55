package io.enipam.sdk;

import java.util.List;

/**
 * What one caller reads as it comes, for as long as the caller likes: what a {@link Command} follows, and what a method of an
 * {@link RpcService} streams. The host takes some whenever the caller has read what it has, so that a feed needs no buffer for a slow
 * caller: it keeps a position in what the plugin retains.
 *
 * <p>The feed is made with a {@code Runnable}, which it runs, on any thread, whenever there may be more after {@link #take} had nothing.
 * That never blocks; to run it needlessly or too often is allowed.
 *
 * <p><b>Threads.</b> {@code take} is called by one thread at a time, on threads of the plugin's, and has 5 s. {@code close} may come
 * at any time, from another thread, once or more often: when the caller has left, when the feed has ended or failed, and before its part is
 * closed.
 */
public interface Feed<T> extends AutoCloseable {
    /**
     * The next of it, in order. Never waits for more.
     *
     * @param most how many, 1 or more
     * @return empty if there is nothing now
     * @throws RpcException of a method: ends it with this status
     * @throws FactoryException ends it with this error, such as {@link ErrorKind#QUOTA_EXHAUSTED} where the caller was too slow, and what it
     *     has not read is not retained any more
     */
    List<T> take(int most);

    /** Whether there is nothing more and never will be; asked after {@link #take} had nothing. */
    default boolean ended() {
        return false;
    }

    /** The reader has left. */
    @Override
    default void close() {}

    /** What is there already, and no more. */
    static <T> Feed<T> of(List<T> all) {
        return new Feed<>() {
            private int at;

            @Override
            public List<T> take(int most) {
                List<T> next = all.subList(at, Math.min(all.size(), at + most));
                at += next.size();
                return next;
            }

            @Override
            public boolean ended() {
                return true;
            }
        };
    }
}

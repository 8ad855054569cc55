package io.enipam.engine.port;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Which of several replicas of a host is active. Thread-safe.
 *
 * <p>The leader holds a lease that it renews. {@link #leads} turns false before the lease can have passed to another replica, by
 * the monotonic clock of this host, whether or not the store that keeps the lease can be reached: what asks it before each write
 * never writes beside a newer leader for longer than that write takes.
 */
public interface Leadership extends AutoCloseable {
    /** Whether this replica is the leader now. Cheap; to be asked before each write. */
    boolean leads();

    /** The replica that was the leader when this one last heard of it; empty if it knows of none. */
    Optional<String> leader();

    /**
     * Registers a listener, which is called with true when this replica becomes the leader and with false when it is it no more:
     * at once with the value of now, and then at each change, one call after the other, on the engine's threads. Must not block.
     */
    void follow(Consumer<Boolean> listener);

    /** Gives the lease up, if it has it, so that another replica need not wait until it expires. */
    @Override
    void close();

    /** That of a host without other replicas: it always leads. */
    static Leadership alone(String replica) {
        return new Leadership() {
            @Override
            public boolean leads() {
                return true;
            }

            @Override
            public Optional<String> leader() {
                return Optional.of(replica);
            }

            @Override
            public void follow(Consumer<Boolean> listener) {
                listener.accept(true);
            }

            @Override
            public void close() {}
        };
    }
}

package io.enipam.frontends.terway;

import io.enipam.node.kernel.NodeView;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Waits for links that are about to appear. Thread-safe. */
final class LinkWaiter {
    private static final long LOOK_MILLIS = 100;

    private final NodeView node;
    private final ScheduledExecutorService threads;

    LinkWaiter(NodeView node, ScheduledExecutorService threads) {
        this.node = node;
        this.threads = threads;
    }

    /** @return its index; empty if there is none by the end of the time. Fails with {@link IpamException} */
    CompletableFuture<OptionalInt> index(String mac, Duration patience) {
        CompletableFuture<OptionalInt> found = new CompletableFuture<>();
        threads.execute(() -> look(mac, System.nanoTime() + patience.toNanos(), found));
        return found;
    }

    private void look(String mac, long until, CompletableFuture<OptionalInt> found) {
        try {
            OptionalInt index = node.linkOf(mac);
            if (index.isPresent() || System.nanoTime() - until >= 0) {
                found.complete(index);
            } else {
                threads.schedule(() -> look(mac, until, found), LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (IOException e) {
            found.completeExceptionally(new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "the node's links cannot be read: " + e.getMessage(),
                    "see that proc and sysfs are mounted where the daemon runs",
                    e));
        } catch (RuntimeException e) {
            found.completeExceptionally(e);
        }
    }
}

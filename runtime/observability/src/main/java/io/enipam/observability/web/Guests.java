package io.enipam.observability.web;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The connections that are open. When there are too many, who has been here longest without a request goes: connections that ask
 * for nothing cannot keep the kubelet's probe out, which asks at once. Thread-safe.
 */
final class Guests {
    private final int most;

    @GuardedBy("this")
    private final Set<Channel> all = new LinkedHashSet<>();

    /** In the order in which they came. */
    @GuardedBy("this")
    private final Set<Channel> silent = new LinkedHashSet<>();

    Guests(int most) {
        this.most = most;
    }

    /** Lets one in, and closes one if that is one too many: the newcomer itself if all others have asked for something. */
    void comes(Channel channel) {
        enter(channel).ifPresent(Channel::close);
        channel.closeFuture().addListener(closed -> leave(channel));
    }

    /** A request of it was read: it stays until it is answered, or its time is over. */
    synchronized void asked(Channel channel) {
        silent.remove(channel);
    }

    private synchronized Optional<Channel> enter(Channel channel) {
        all.add(channel);
        silent.add(channel);
        if (all.size() <= most) {
            return Optional.empty();
        }
        Channel oldest = silent.iterator().next();
        silent.remove(oldest);
        all.remove(oldest);
        return Optional.of(oldest);
    }

    private synchronized void leave(Channel channel) {
        all.remove(channel);
        silent.remove(channel);
    }
}

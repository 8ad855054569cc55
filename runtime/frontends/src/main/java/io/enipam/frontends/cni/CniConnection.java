package io.enipam.frontends.cni;

import io.enipam.cni.FrameCodec;
import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.frontends.cni.spec.CniException;
import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import io.enipam.frontends.cni.spec.ResultJson;
import io.enipam.frontends.cni.spec.SpecVersion;
import io.enipam.platform.ReportRateLimiter;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The protocol of one connection: the peer's identity, the call, the answer. Thread-safe.
 *
 * @param handler answers calls, and may be slow
 * @param patience how long a peer may take for a frame; it does not pay for the time in which it is kept waiting here
 * @param memory what calls may take together
 * @param refusals bounds how often the refusals of a user are reported: the first at once, the others by their count
 */
record CniConnection(
        AllowedPeers peers,
        Function<CniRequest, CniResponse> handler,
        EventSink events,
        Scheduler scheduler,
        Duration patience,
        FrameMemoryLimiter memory,
        ReportRateLimiter<String> refusals) {
    /** The shortest time between two reports of a user's refusals. */
    static final Duration REFUSALS_INTERVAL = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(CniConnection.class);

    /** Holds it, on the thread that calls, and closes the connection. */
    void hold(SocketChannel peer) {
        try (peer;
                FrameMemoryLimiter.Reservation share = memory.share()) {
            CniResponse answer = answer(peer, share);
            try (ReadTimeout watch = new ReadTimeout(peer)) {
                FrameCodec.write(
                        answer, new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(peer))));
            }
        } catch (EOFException e) {
            LOG.debug("a peer of the CNI went away before its call was whole");
        } catch (IOException e) {
            LOG.debug("an answer of the CNI could not be delivered: {}", e.toString());
        }
    }

    private CniResponse answer(SocketChannel peer, FrameMemoryLimiter.Reservation share) throws IOException {
        String stranger = peers.refused(peer);
        if (!stranger.isEmpty()) {
            long times = refusals.add(stranger);
            if (times > 0) {
                report(stranger, times);
            }
            return error(new CniException(
                    105, "user " + stranger + " may not call the CNI here", "the runtime calls it as root"));
        }
        CniRequest request;
        try {
            request = request(peer, share);
        } catch (EOFException e) {
            throw e;
        } catch (IOException e) {
            return error(
                    new CniException(
                            CniErrorCode.IO_FAILURE,
                            "the call could not be read: " + e.getMessage(),
                            "front and daemon are of different versions, or another calls; enipam-cni-install updates the front"));
        } catch (CniException e) {
            return error(e);
        }
        return handler.apply(request);
    }

    /** Each report is followed by a look at what was summed up since: the last of a series count, too. */
    private void report(String user, long times) {
        events.publish(
                Event.Severity.WARNING,
                "CniPeerRefused",
                "cni",
                "user " + user + " may not call the CNI: root alone may"
                        + (times == 1 ? "" : "; " + times + " calls were refused since the last such event"),
                Map.of("user", user, "times", Long.toString(times)));
        scheduler.after(REFUSALS_INTERVAL, () -> refusals.due(false).forEach(this::report));
    }

    private CniRequest request(SocketChannel peer, FrameMemoryLimiter.Reservation share) throws IOException {
        try (ReadTimeout watch = new ReadTimeout(peer)) {
            return FrameCodec.readRequest(
                    new DataInputStream(new BufferedInputStream(Channels.newInputStream(peer))), length -> {
                        watch.close();
                        share.admit(length);
                        watch.begin();
                    });
        }
    }

    private static CniResponse error(CniException refusal) {
        return new CniResponse(1, ResultJson.error(SpecVersion.LATEST, refusal), new byte[0]);
    }

    /** Ends a transfer that takes too long, by closing its channel. Not thread-safe. */
    private final class ReadTimeout implements AutoCloseable {
        private final SocketChannel peer;
        private Optional<Scheduler.Cancellable> end = Optional.empty();

        ReadTimeout(SocketChannel peer) {
            this.peer = peer;
            begin();
        }

        void begin() {
            end = Optional.of(scheduler.after(patience, () -> {
                LOG.debug("a peer of the CNI took more than {} ms for a frame", patience.toMillis());
                CniSocket.close(peer);
            }));
        }

        @Override
        public void close() {
            end.ifPresent(Scheduler.Cancellable::cancel);
        }
    }

    /**
     * The users that may call, by the peer credentials of the kernel (SO_PEERCRED), which cannot be forged. Immutable.
     */
    record AllowedPeers(Set<UserPrincipal> allowed) {
        AllowedPeers {
            allowed = Set.copyOf(allowed);
        }

        /** Root, and the user that this process runs as. */
        static AllowedPeers rootAndSelf() throws IOException {
            UserPrincipal root =
                    FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName("0");
            UserPrincipal self = Files.getOwner(Path.of("/proc/self"));
            return new AllowedPeers(root.equals(self) ? Set.of(root) : Set.of(root, self));
        }

        /** The peer's name if it is not served; empty text if it is. */
        String refused(SocketChannel channel) throws IOException {
            UserPrincipal peer =
                    channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
            return allowed.contains(peer) ? "" : peer.getName();
        }
    }

    /** The memory that calls may take together: small ones come in as they are, larger ones wait. Thread-safe. */
    static final class FrameMemoryLimiter {
        private static final int SMALL_BYTES = 64 << 10;
        private static final int UNIT_BYTES = 1 << 10;

        /** Two of the largest at once. */
        private static final int UNITS = 2 * (FrameCodec.LONGEST / UNIT_BYTES);

        private final Semaphore units = new Semaphore(UNITS, true);
        private final long patienceMillis;

        FrameMemoryLimiter(long patienceMillis) {
            this.patienceMillis = patienceMillis;
        }

        /** What one call takes of it, given back when it is closed. Not thread-safe. */
        final class Reservation implements FrameCodec.SizeGuard, AutoCloseable {
            private int taken;

            /** @throws CniException code 11 if there is none for too long, or the daemon stops */
            @Override
            public void admit(int length) {
                if (length <= SMALL_BYTES) {
                    return;
                }
                int wanted = (length + UNIT_BYTES - 1) / UNIT_BYTES;
                try {
                    if (!units.tryAcquire(wanted, patienceMillis, TimeUnit.MILLISECONDS)) {
                        throw new CniException(
                                CniErrorCode.TRY_AGAIN,
                                "other calls take the memory that one of " + length + " bytes needs",
                                "try again: it is free when they are answered");
                    }
                    taken = wanted;
                } catch (InterruptedException e) {
                    throw Deadline.stops(e);
                }
            }

            @Override
            public void close() {
                units.release(taken);
                taken = 0;
            }
        }

        Reservation share() {
            return new Reservation();
        }
    }
}

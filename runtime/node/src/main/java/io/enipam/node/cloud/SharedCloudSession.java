package io.enipam.node.cloud;

import dev.failsafe.function.CheckedSupplier;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.sdk.ResourceFactory;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One session with the cloud for all factories on it, so that they share its rate limits and the instance's slots:
 * opened with the first of them, ended with the last. Thread-safe.
 */
public final class SharedCloudSession {
    private final CheckedSupplier<CloudSession> opener;
    private final Map<EniUse, Integer> users = new EnumMap<>(EniUse.class);
    private volatile Optional<CloudSession> session = Optional.empty();

    /** @param opener one try to open a session, which may block */
    public SharedCloudSession(CheckedSupplier<CloudSession> opener) {
        this.opener = opener;
    }

    /**
     * Opens the session, or joins it; blocks while it opens.
     *
     * @return the session with the factory of this use only; closing it ends that use
     * @throws Throwable any exception of the opener
     */
    public synchronized CloudSession open(EniUse use) throws Throwable {
        CloudSession shared = session.isPresent() ? session.get() : opener.get();
        session = Optional.of(shared);
        users.merge(use, 1, Integer::sum);
        ResourceFactory factory = shared.factories().of(use);
        AtomicBoolean ended = new AtomicBoolean();
        return new CloudSession(
                shared.node(),
                any -> factory,
                shared.enis(),
                shared.sweeper(),
                shared.witness(),
                shared.probe(),
                shared.places(),
                () -> {
                    if (ended.compareAndSet(false, true)) {
                        end(use);
                    }
                });
    }

    /**
     * Sets the placement of further ENIs; waits for a session that is opening.
     *
     * @see EniPlacement#configure
     */
    public synchronized void configure(EniConfig enis) {
        session.ifPresent(shared -> shared.places().configure().accept(enis));
    }

    /** The ranges of the vSwitches for ENIs, by id; empty until the cloud has answered. Returns at once. */
    public Map<String, String> ranges() {
        return session.map(shared -> shared.places().ranges().get()).orElse(Map.of());
    }

    private synchronized void end(EniUse use) {
        users.computeIfPresent(use, (key, count) -> count == 1 ? null : count - 1);
        if (users.isEmpty()) {
            session.ifPresent(last -> last.closer().run());
            session = Optional.empty();
        } else if (!users.containsKey(use)) {
            session.ifPresent(shared -> shared.factories().leave(use));
        }
    }
}

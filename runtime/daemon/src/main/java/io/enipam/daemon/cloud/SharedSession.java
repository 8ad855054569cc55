package io.enipam.daemon.cloud;

import dev.failsafe.function.CheckedSupplier;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.sdk.ResourceFactory;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One session with the cloud for all the factories on it, so that they share its limits of calls and the instance's slots:
 * opened with the first of them, ended with the last. Thread-safe.
 */
public final class SharedSession {
    private final CheckedSupplier<CloudSession> opener;
    private final Map<EniUse, Integer> users = new EnumMap<>(EniUse.class);
    private Optional<CloudSession> session = Optional.empty();

    /** @param opener one try to open a session, which may block */
    public SharedSession(CheckedSupplier<CloudSession> opener) {
        this.opener = opener;
    }

    /**
     * Opens the session, or joins it; blocks while it is being opened.
     *
     * @return the session with the factory of this use alone; closing it ends that use
     * @throws Throwable what the opener throws
     */
    public synchronized CloudSession open(EniUse use) throws Throwable {
        CloudSession shared = session.isPresent() ? session.get() : opener.get();
        session = Optional.of(shared);
        users.merge(use, 1, Integer::sum);
        ResourceFactory factory = shared.factories().apply(use);
        AtomicBoolean ended = new AtomicBoolean();
        return new CloudSession(
                shared.node(),
                any -> factory,
                any -> {},
                shared.enis(),
                shared.sweeper(),
                shared.witness(),
                shared.probe(),
                () -> {
                    if (ended.compareAndSet(false, true)) {
                        end(use);
                    }
                });
    }

    private synchronized void end(EniUse use) {
        users.computeIfPresent(use, (key, count) -> count == 1 ? null : count - 1);
        if (users.isEmpty()) {
            session.ifPresent(last -> last.closer().run());
            session = Optional.empty();
        } else if (!users.containsKey(use)) {
            session.ifPresent(shared -> shared.leave().accept(use));
        }
    }
}

package io.enipam.node.cloud;

import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Which machine this is, as the first session with the cloud tells. No session comes into use beside the database of another
 * machine: its factories would finish what that machine has begun. Thread-safe.
 */
public final class NodeIdentityGuard {
    private final Supplier<Optional<NodeRecord>> database;
    private final CompletableFuture<NodeIdentity> told = new CompletableFuture<>();

    /** @param database what the database says of its node; may block until it is open */
    public NodeIdentityGuard(Supplier<Optional<NodeRecord>> database) {
        this.database = database;
    }

    /** Completes when the cloud has said it. */
    public CompletionStage<NodeIdentity> identity() {
        return told;
    }

    /**
     * Lets a session pass whose machine is the database's, and ends any other.
     *
     * @throws FactoryException if the database is another machine's
     */
    public CloudSession requireSameMachine(CloudSession session) {
        told.complete(session.node());
        Optional<IpamException> conflict = session.node().conflictWith(database.get());
        if (conflict.isPresent()) {
            session.closer().run();
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED,
                    conflict.get().getMessage() + "; " + conflict.get().hint());
        }
        return session;
    }
}

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
 * The identity of this machine, from the first session with the cloud. It refuses a session if the database belongs to
 * another machine: the session's factories would continue that machine's operations. Thread-safe.
 */
public final class NodeIdentityGuard {
    private final Supplier<Optional<NodeRecord>> database;
    private final CompletableFuture<NodeIdentity> told = new CompletableFuture<>();

    /** @param database the node identity in the database; may block until the database is open */
    public NodeIdentityGuard(Supplier<Optional<NodeRecord>> database) {
        this.database = database;
    }

    public CompletionStage<NodeIdentity> identity() {
        return told;
    }

    /** Ends a session whose machine is not that of the database, and throws FactoryException. */
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

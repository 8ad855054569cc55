package io.enipam.engine.port;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Subject;
import io.enipam.sdk.ledger.HeldGrant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** What allocators of plugins have granted to owners, beside the pool. Thread-safe. */
public interface GrantDirectory {
    /** That of a host without allocators. */
    GrantDirectory NONE = new GrantDirectory() {
        @Override
        public List<ServedClaim> all() {
            return List.of();
        }

        @Override
        public CompletionStage<Boolean> end(ServedClaim claim, Span parent) {
            return CompletableFuture.completedFuture(false);
        }
    };

    /** The claims with a grant in force, or that wait for one, of the allocators that run: by extension and id. */
    List<ServedClaim> all();

    /**
     * Ends exactly the claim that was looked at.
     *
     * @param parent gets the steps
     * @return completes when that is durable, with whether the claim was still there
     */
    CompletionStage<Boolean> end(ServedClaim claim, Span parent);

    /** A claim with a grant in force, or that waits for one, and the extension that serves it. */
    record ServedClaim(String plugin, String extension, HeldGrant held) {
        /** The sandbox that the claim is of; empty for an owner of another kind. */
        public Optional<OwnerKey> owner() {
            return sandbox(held.kind(), held.claim().text());
        }

        /** The pod that has it; empty where the caller named none, and for an owner of another kind. */
        public Optional<PodRef> pod() {
            return podOf(held.kind(), held.owner());
        }

        /** The sandbox that a claim of a kind of owner is of, by the claim's id. */
        public static Optional<OwnerKey> sandbox(Subject.Kind kind, String claim) {
            return kind == Subject.Kind.POD ? read(() -> OwnerKey.parse(claim)) : Optional.empty();
        }

        /** The pod that an owner's name says. */
        public static Optional<PodRef> podOf(Subject.Kind kind, String owner) {
            return kind == Subject.Kind.POD && owner.contains("/") ? read(() -> PodRef.parse(owner)) : Optional.empty();
        }

        private static <T> Optional<T> read(Supplier<T> text) {
            try {
                return Optional.of(text.get());
            } catch (IllegalArgumentException another) {
                return Optional.empty();
            }
        }
    }
}

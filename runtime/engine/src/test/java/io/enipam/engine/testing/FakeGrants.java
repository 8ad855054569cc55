package io.enipam.engine.testing;

import io.enipam.engine.port.GrantDirectory;
import io.enipam.engine.port.Span;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Subject;
import io.enipam.sdk.ledger.HeldGrant;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** An allocator's claims in memory, as a test puts them there. Thread-safe. */
public final class FakeGrants implements GrantDirectory {
    private final List<ServedClaim> claims = new CopyOnWriteArrayList<>();

    /**
     * Grants an address on network {@code lan}.
     *
     * @param owner a pod's {@code NAMESPACE/NAME}, or the container's id where none is named
     */
    public ServedClaim grant(String container, String owner, String uid, String address) {
        ClaimId id = new ClaimId("lan/" + container + "/eth0");
        ServedClaim claim = new ServedClaim(
                "net",
                "files",
                new HeldGrant(
                        id,
                        Subject.Kind.POD,
                        owner,
                        uid,
                        Instant.EPOCH,
                        Optional.of(Grant.of(id, Prefix.of(address)))));
        claims.add(claim);
        return claim;
    }

    @Override
    public List<ServedClaim> all() {
        return List.copyOf(claims);
    }

    @Override
    public CompletionStage<Boolean> end(ServedClaim claim, Span parent) {
        parent.step("RELEASE").done();
        return CompletableFuture.completedFuture(claims.remove(claim));
    }

    /** The containers that have a claim. */
    public List<String> containers() {
        return claims.stream()
                .flatMap(claim -> claim.owner().stream())
                .map(owner -> owner.containerId())
                .sorted()
                .toList();
    }
}

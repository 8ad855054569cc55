package io.enipam.sdk.ledger;

import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Subject;
import java.time.Instant;
import java.util.Optional;

/**
 * A claim that has a grant in force, or that was told to wait.
 *
 * @param kind of the owner
 * @param owner its name
 * @param uid its UID, or empty text where that is not known
 * @param since when the allocator was asked first
 * @param grant empty while it waits
 */
public record HeldGrant(
        ClaimId claim, Subject.Kind kind, String owner, String uid, Instant since, Optional<Grant> grant) {}

package io.enipam.sdk;

import java.util.Optional;

/** Something to be done outside of the tables, written by {@link Transaction#effect}. Immutable. */
public interface Effect {
    /** Which sort it is, as the part wrote it. */
    String handler();

    /** By which the part recognizes the same effect when it comes again. */
    String token();

    String arguments();

    /** The claim in whose transaction it was written; empty if there was none. */
    Optional<ClaimId> claim();

    /** The key that was reconciled by the transaction in which it was written; empty if there was none. */
    default Optional<String> key() {
        return Optional.empty();
    }

    /** Which try this is since the part was opened, from 1. An earlier one may have worked. */
    int attempt();
}

package io.enipam.store;

import io.enipam.engine.model.Hold;
import java.util.List;

/** Holds on disk: those of one purpose stand in one bucket, and a resource has one hold at most, in either of the two. */
final class HoldBuckets {
    private HoldBuckets() {}

    static Bucket of(Hold.Purpose purpose) {
        return switch (purpose) {
            case RESERVED -> Bucket.RESERVATIONS;
            case COOLING -> Bucket.QUARANTINE;
        };
    }

    /** @param json the hold's record */
    static List<Mutation> put(Hold hold, String json) {
        return put(of(hold.purpose()), hold.resource().id().value(), json);
    }

    /** Adds or replaces a hold, whichever purpose the one before had. */
    static List<Mutation> put(Bucket bucket, String resource, String json) {
        Bucket other = bucket == Bucket.RESERVATIONS ? Bucket.QUARANTINE : Bucket.RESERVATIONS;
        return List.of(Mutation.remove(other, resource), Mutation.put(bucket, resource, json));
    }

    static List<Mutation> remove(String resource) {
        return List.of(Mutation.remove(Bucket.RESERVATIONS, resource), Mutation.remove(Bucket.QUARANTINE, resource));
    }
}

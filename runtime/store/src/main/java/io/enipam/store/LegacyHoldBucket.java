package io.enipam.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.engine.model.Hold;
import java.util.List;
import io.enipam.store.Bucket.HoldBuckets;

/**
 * The bucket {@code holds} of format 1, which had the holds of both purposes. It is read from journals and checkpoints into
 * the buckets of today and never written.
 */
final class LegacyHoldBucket {
    static final String BUCKET = "holds";
    /** The buckets of a checkpoint of format 1, in the order of its seal; the later ones came to be within the format. */
    static final List<String> CHECKPOINT = List.of("meta", "leases", BUCKET, "intents", "operations", "pods");

    private static final ObjectMapper JSON = new ObjectMapper();

    private LegacyHoldBucket() {}

    /** @throws IllegalArgumentException if the record has no purpose */
    static List<Mutation> put(String resource, String json) {
        return HoldBuckets.put(bucket(json), resource, json);
    }

    /** @throws IllegalArgumentException if the record has no purpose */
    static Bucket bucket(String json) {
        try {
            return HoldBuckets.of(
                    Hold.Purpose.valueOf(JSON.readTree(json).path("purpose").asText()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a hold that is not readable: " + e.getMessage(), e);
        }
    }
}

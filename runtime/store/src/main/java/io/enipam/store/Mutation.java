package io.enipam.store;

import java.util.Optional;

/**
 * One change of one record.
 *
 * @param key without control characters
 * @param json the new record in one line, or empty to remove it
 */
record Mutation(Bucket bucket, String key, Optional<String> json) {
    Mutation {
        if (key.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("a key of bucket " + bucket.text() + " has a control character");
        }
    }

    static Mutation put(Bucket bucket, String key, String json) {
        return new Mutation(bucket, key, Optional.of(json));
    }

    static Mutation remove(Bucket bucket, String key) {
        return new Mutation(bucket, key, Optional.empty());
    }
}

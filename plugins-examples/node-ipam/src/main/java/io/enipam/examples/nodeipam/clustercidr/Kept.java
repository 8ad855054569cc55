package io.enipam.examples.nodeipam.clustercidr;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Table;
import io.enipam.sdk.cluster.ClusterObject;
import java.util.Map;
import java.util.Optional;

/**
 * What is kept of an object in a table: what the API server cannot tell.
 *
 * @param uid of the object
 * @param spec what is in force, which the object does not say any more when it was changed; empty text if it was never valid
 * @param report {@link Report#material} of what was written last
 * @param event the warning that was reported last; empty text if there was none
 */
record Kept(String uid, String spec, String report, String event) {
    /** Key: the object's name. */
    static final Table<Kept> TABLE = new Table<>("cluster-cidrs", 1, new Codec<>() {
        @Override
        public String write(Kept value) {
            return Kept.json(value);
        }

        @Override
        public Kept read(int version, String text) {
            return Kept.read(text, Kept.class);
        }
    });

    /** Equal trees have equal texts. */
    private static final ObjectMapper JSON =
            new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);

    /** What is in force of an object, if it is this one; empty if that does not count as valid any more. */
    Optional<ClusterCidr> inForceOf(ClusterObject object) {
        if (!uid.equals(object.uid()) || spec.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(ClusterCidr.read(ClusterObject.of(object.ref(), Map.of("spec", read(spec, Map.class)))));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of texts and numbers can be written", e);
        }
    }

    /** @throws IllegalArgumentException if it is not what {@link #json} has written */
    static <T> T read(String text, Class<T> type) {
        try {
            return JSON.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("unreadable: " + e.getOriginalMessage(), e);
        }
    }
}

package io.enipam.examples.swarm.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.sdk.Codec;

/** A record as JSON, its components in their order. */
public record RecordCodec<V>(Class<V> type) implements Codec<V> {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(MapperFeature.AUTO_DETECT_IS_GETTERS) // Network.isIngress is no component
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    @Override
    public String write(V value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(value + " cannot be written", e);
        }
    }

    @Override
    public V read(int version, String text) {
        try {
            return JSON.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("it is no " + type.getSimpleName() + ": " + e.getOriginalMessage(), e);
        }
    }
}

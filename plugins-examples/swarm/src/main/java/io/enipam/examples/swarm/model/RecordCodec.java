package io.enipam.examples.swarm.model;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import io.enipam.sdk.Codec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** A record as JSON, its components in their order. */
public record RecordCodec<V>(Class<V> type) implements Codec<V> {
    private static final ObjectMapper PARTS = mapper().build();
    private static final ObjectMapper JSON = mapper().addMixIn(Attachment.class, AttachmentShape.class)
            .addMixIn(Task.class, TaskShape.class)
            .build();

    private static JsonMapper.Builder mapper() {
        return JsonMapper.builder()
                .disable(MapperFeature.AUTO_DETECT_IS_GETTERS) // Network.isIngress is no component
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    }

    private interface AttachmentShape {
        @JsonSerialize(using = CommonPart.class)
        Network network();
    }

    private interface TaskShape {
        @JsonSerialize(using = CommonPart.class)
        Endpoint endpoint();
    }

    /**
     * Writes what the rows of many tasks have in common, their network and the endpoint of their service: most of their text, which is
     * made once. Thread-safe.
     */
    private static final class CommonPart extends StdSerializer<Object> {
        private static final long serialVersionUID = 1L;
        private static final int KEPT = 64;

        private final transient AtomicReferenceArray<Written> written = new AtomicReferenceArray<>(KEPT);

        /** @param part immutable, so that it has this text as long as it is this object */
        private record Written(Object part, SerializedString text) {}

        CommonPart() {
            super(Object.class);
        }

        @Override
        public void serialize(Object part, JsonGenerator out, SerializerProvider provider) throws IOException {
            int place = System.identityHashCode(part) % KEPT;
            Written known = written.get(place);
            if (known == null || known.part != part) {
                known = new Written(part, new SerializedString(PARTS.writeValueAsString(part)));
                written.set(place, known);
            }
            out.writeRawValue(known.text);
        }
    }

    @Override
    public String write(V value) {
        try {
            return new String(JSON.writeValueAsBytes(value), StandardCharsets.UTF_8);
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

    @Override
    public boolean keepsValues() {
        return true;
    }
}

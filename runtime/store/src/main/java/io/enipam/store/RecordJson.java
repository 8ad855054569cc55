package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonAppend;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import com.fasterxml.jackson.databind.util.StdConverter;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/**
 * The JSON of records, version 1: the engine's records with the names of their components, in their order, behind {@code "v"}.
 * Names, addresses, instants and durations are text, as they show and parse themselves. All components are required but those
 * that came to a record later, in {@link #LATER}. Only what differs from the engine's shape stands here.
 */
final class RecordJson {
    /** The attribute of a writer that becomes the first field of each record. */
    static final String VERSION = "v";

    /** Components that older programs did not write; they are then nothing. */
    private static final Set<String> LATER = Set.of("length", "ipv6Count", "ingress", "egress", "ownEni", "factory");

    private RecordJson() {}

    /** Thread-safe. */
    static JsonMapper mapper() {
        SimpleModule texts = new SimpleModule("texts");
        text(texts, OwnerKey.class, OwnerKey::parse);
        text(texts, PodRef.class, PodRef::parse);
        text(texts, ResourceId.class, ResourceId::new);
        text(texts, ResourceKind.class, ResourceKind::new);
        text(texts, Address.class, Address::parse);
        text(texts, Duration.class, Duration::parse);
        text(texts, Instant.class, Instant::parse);
        return JsonMapper.builder()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .annotationIntrospector(new RequiredComponents())
                .addModule(texts)
                .addMixIn(Lease.class, Versioned.class)
                .addMixIn(LeaseEnd.class, Versioned.class)
                .addMixIn(Hold.class, HoldShape.class)
                .addMixIn(Intent.class, IntentShape.class)
                .addMixIn(CloudJournal.Entry.class, Versioned.class)
                .addMixIn(TableRow.class, RowShape.class)
                .addMixIn(CloudOperation.class, CallShape.class)
                .addMixIn(CloudOperation.Create.class, Ipv6CountShape.class)
                .addMixIn(CloudOperation.Assign.class, Ipv6CountShape.class)
                .build();
    }

    private static <T> void text(SimpleModule module, Class<T> type, Function<String, T> parse) {
        module.addSerializer(type, ToStringSerializer.instance);
        module.addDeserializer(type, new StdScalarDeserializer<T>(type) {
            private static final long serialVersionUID = 1L;

            @Override
            public T deserialize(JsonParser in, DeserializationContext context) throws IOException {
                if (!in.hasToken(JsonToken.VALUE_STRING)) {
                    throw new IllegalArgumentException("text is needed where " + in.getText() + " stands");
                }
                return parse.apply(in.getText());
            }
        });
    }

    /** Requires each component of a record that is not one of {@link #LATER}. */
    private static final class RequiredComponents extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public Boolean hasRequiredMarker(AnnotatedMember member) {
            if (member instanceof AnnotatedParameter parameter
                    && member.getDeclaringClass().isRecord()
                    && !member.hasAnnotation(JsonUnwrapped.class)) {
                RecordComponent[] components = member.getDeclaringClass().getRecordComponents();
                return parameter.getIndex() < components.length
                        && !LATER.contains(components[parameter.getIndex()].getName());
            }
            return super.hasRequiredMarker(member);
        }
    }

    @JsonAppend(prepend = true, attrs = @JsonAppend.Attr(VERSION))
    private interface Versioned {}

    /** The length of a hold is in milliseconds; 0 where it is not known. */
    @JsonAppend(prepend = true, attrs = @JsonAppend.Attr(VERSION))
    private interface HoldShape {
        @JsonProperty("lengthMs")
        @JsonSerialize(converter = Millis.class)
        @JsonDeserialize(using = MillisReader.class)
        Duration length();
    }

    /** Empty where an older program wrote it. */
    @JsonAppend(prepend = true, attrs = @JsonAppend.Attr(VERSION))
    private interface IntentShape {
        @JsonSetter(nulls = Nulls.AS_EMPTY)
        String factory();
    }

    private static final class Millis extends StdConverter<Duration, Long> {
        @Override
        public Long convert(Duration value) {
            return value.toMillis();
        }
    }

    private static final class MillisReader extends StdDeserializer<Duration> {
        private static final long serialVersionUID = 1L;

        MillisReader() {
            super(Duration.class);
        }

        @Override
        public Duration deserialize(JsonParser in, DeserializationContext context) throws IOException {
            return Duration.ofMillis(Math.max(0, in.getValueAsLong()));
        }

        @Override
        public Duration getNullValue(DeserializationContext context) {
            return Duration.ZERO;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "call")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = CloudOperation.Create.class, name = "create"),
        @JsonSubTypes.Type(value = CloudOperation.Attach.class, name = "attach"),
        @JsonSubTypes.Type(value = CloudOperation.Assign.class, name = "assign"),
        @JsonSubTypes.Type(value = CloudOperation.Unassign.class, name = "unassign"),
        @JsonSubTypes.Type(value = CloudOperation.Detach.class, name = "detach"),
        @JsonSubTypes.Type(value = CloudOperation.Delete.class, name = "delete")
    })
    private interface CallShape {}

    /** Left out where it is 0: older versions of this program read that. */
    private interface Ipv6CountShape {
        @JsonInclude(JsonInclude.Include.NON_DEFAULT)
        int ipv6Count();
    }

    /** The value is the plugin's text: an object where that is one as this program would write it, and a string elsewhere. */
    @JsonAppend(prepend = true, attrs = @JsonAppend.Attr(VERSION))
    private interface RowShape {
        @JsonSerialize(using = ValueWriter.class)
        @JsonDeserialize(using = ValueReader.class)
        String value();
    }

    private static final class ValueWriter extends StdScalarSerializer<String> {
        private static final long serialVersionUID = 1L;
        private static final JsonMapper PLAIN = new JsonMapper();

        ValueWriter() {
            super(String.class);
        }

        @Override
        public void serialize(String text, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (isObject(text)) {
                out.writeRawValue(text);
            } else {
                out.writeString(text);
            }
        }

        private static boolean isObject(String text) {
            try {
                return PlainJson.isObject(text)
                        || text.startsWith("{")
                                && PLAIN.readTree(text).toString().equals(text);
            } catch (JsonProcessingException e) {
                return false;
            }
        }
    }

    private static final class ValueReader extends StdScalarDeserializer<String> {
        private static final long serialVersionUID = 1L;

        ValueReader() {
            super(String.class);
        }

        @Override
        public String deserialize(JsonParser in, DeserializationContext context) throws IOException {
            return in.hasToken(JsonToken.VALUE_STRING)
                    ? in.getText()
                    : in.readValueAsTree().toString();
        }
    }

    /** @param created ISO 8601 instant; read only when the format, the version of buckets and files, is known */
    record DatabaseJson(int v, int format, String created) {
        static final String KEY = "database";

        /**
         * 1 had one bucket {@code holds} and journal files without an epoch. 2 has {@code reservations} and {@code quarantine}
         * instead, {@code pods}, and epochs. 3 has {@code tables} as well. 4 has the factory's name in the keys of holds and
         * disposals, see {@link FormerKeys}.
         */
        static final int FORMAT = 4;
    }

    /** @param instanceId empty as long as no cloud has reported it */
    record NodeJson(int v, String instanceId, String region, boolean settled) {
        static final String KEY = "node";

        static NodeJson of(NodeRecord node) {
            return new NodeJson(
                    RecordCodec.VERSION,
                    node.identity().map(NodeIdentity::instanceId).orElse(""),
                    node.identity().map(NodeIdentity::region).orElse(""),
                    node.settled());
        }

        NodeRecord toRecord() {
            return new NodeRecord(
                    instanceId.isEmpty() ? Optional.empty() : Optional.of(new NodeIdentity(instanceId, region)),
                    settled);
        }
    }

    /** The copy of a pod: uid may be empty, addresses are literals. */
    record PodJson(
            int v,
            PodRef pod,
            String uid,
            boolean finished,
            Duration stick,
            List<String> addresses,
            @JsonUnwrapped Seen seen,
            @JsonUnwrapped Requests requests) {
        /** @param expires ISO 8601 instant, or empty text while the pod is there */
        record Seen(Instant lastSeen, String expires) {}

        /** What the pod asks for: bytes a second, or 0 for no limit. */
        record Requests(long ingress, long egress, boolean ownEni) {}

        static PodJson of(PodCopy copy) {
            Pod pod = copy.pod();
            return new PodJson(
                    RecordCodec.VERSION,
                    pod.ref(),
                    pod.uid(),
                    pod.finished(),
                    pod.stick(),
                    pod.addresses().stream().map(AddressFormat::text).toList(),
                    new Seen(
                            copy.lastSeen(),
                            copy.expires().map(Instant::toString).orElse("")),
                    new Requests(
                            pod.wishes().ingress().orElse(0),
                            pod.wishes().egress().orElse(0),
                            pod.wishes().ownEni()));
        }

        PodCopy toCopy() {
            Pod of = new Pod(
                    pod,
                    uid,
                    finished,
                    stick,
                    addresses.stream().map(Address::literal).toList(),
                    new PodNetworkSpec(rate(requests.ingress), rate(requests.egress), requests.ownEni));
            return new PodCopy(
                    of,
                    seen.lastSeen,
                    Optional.of(seen.expires).filter(text -> !text.isEmpty()).map(Instant::parse));
        }

        private static OptionalLong rate(long bytes) {
            return bytes > 0 ? OptionalLong.of(bytes) : OptionalLong.empty();
        }
    }
}

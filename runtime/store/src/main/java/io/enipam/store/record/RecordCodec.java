package io.enipam.store.record;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Intent;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Turns the engine's values into records and back. A record is one line of JSON with its version in {@code v}; a field that
 * a later version adds is ignored, a later version itself is refused, since it may mean what this program does not know.
 * Thread-safe.
 */
public final class RecordCodec {
    private static final int VERSION = 1;

    private final JsonMapper json = JsonMapper.builder()
            .serializationInclusion(JsonInclude.Include.NON_EMPTY)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** The stored shapes: texts and maps alone, so that no class of the engine leaks into the format. */
    record ResourceText(String id, String kind, List<String> addresses, String parent, Map<String, String> attributes) {
        static ResourceText of(Resource r) {
            return new ResourceText(
                    r.id().value(),
                    r.kind().name(),
                    r.addresses().stream().map(Address::toString).toList(),
                    r.parent(),
                    new TreeMap<>(r.attributes())); // one order, so that dumps can be compared
        }

        Resource resource() {
            return new Resource(
                    new ResourceId(id),
                    new ResourceKind(kind),
                    addresses.stream().map(Address::parse).toList(),
                    parent == null ? "" : parent,
                    attributes == null ? Map.of() : attributes);
        }
    }

    record LeaseText(int v, String owner, String pod, String uid, ResourceText resource, String stick, String since) {}

    record HoldText(int v, String purpose, String pod, ResourceText resource, String until) {}

    record IntentText(int v, String token, String action, String since) {}

    /** A change of the database as an edit of its journal. */
    public Edit edit(Change change) {
        if (change instanceof Change.PutLease put) {
            Lease lease = put.lease();
            return new Edit(
                    Bucket.LEASES.key(lease.owner().toString()),
                    bytes(new LeaseText(
                            VERSION,
                            lease.owner().toString(),
                            lease.pod().toString(),
                            lease.podUid(),
                            ResourceText.of(lease.resource()),
                            lease.stick().toString(),
                            lease.since().toString())));
        }
        if (change instanceof Change.PutHold put) {
            Hold hold = put.hold();
            return new Edit(
                    Bucket.HOLDS.key(hold.resource().id().value()),
                    bytes(new HoldText(
                            VERSION,
                            hold.purpose().name(),
                            hold.pod().toString(),
                            ResourceText.of(hold.resource()),
                            hold.until().toString())));
        }
        if (change instanceof Change.PutIntent put) {
            Intent intent = put.intent();
            return new Edit(
                    Bucket.INTENTS.key(intent.token()),
                    bytes(new IntentText(
                            VERSION,
                            intent.token(),
                            intent.action().name(),
                            intent.since().toString())));
        }
        if (change instanceof Change.RemoveLease remove) {
            return new Edit(Bucket.LEASES.key(remove.owner().toString()), null);
        }
        if (change instanceof Change.RemoveHold remove) {
            return new Edit(Bucket.HOLDS.key(remove.resource().value()), null);
        }
        if (change instanceof Change.RemoveIntent remove) {
            return new Edit(Bucket.INTENTS.key(remove.token()), null);
        }
        throw new IllegalArgumentException("unknown change " + change);
    }

    /** @throws StoreException if the record is of a later version, or not a lease */
    public Lease lease(byte[] record) {
        LeaseText text = read(record, LeaseText.class);
        return new Lease(
                OwnerKey.parse(text.owner),
                PodRef.parse(text.pod),
                text.uid == null ? "" : text.uid,
                text.resource.resource(),
                Duration.parse(text.stick),
                Instant.parse(text.since));
    }

    /** @throws StoreException if the record is of a later version, or not a hold */
    public Hold hold(byte[] record) {
        HoldText text = read(record, HoldText.class);
        return new Hold(
                text.resource.resource(),
                Hold.Purpose.valueOf(text.purpose),
                PodRef.parse(text.pod),
                Instant.parse(text.until));
    }

    /** @throws StoreException if the record is of a later version, or not an intent */
    public Intent intent(byte[] record) {
        IntentText text = read(record, IntentText.class);
        return new Intent(text.token, Intent.Action.valueOf(text.action), Instant.parse(text.since));
    }

    private <T> T read(byte[] record, Class<T> shape) {
        try {
            JsonNode tree = json.readTree(record);
            int version = tree.path("v").asInt(0);
            if (version != VERSION) {
                throw new StoreException(
                        "the database has a record of version " + version + ", and this program reads version "
                                + VERSION,
                        "start the version of enipam that wrote it");
            }
            return json.treeToValue(tree, shape);
        } catch (JsonProcessingException e) {
            throw new StoreException(
                    "the database has a record that is not readable: " + e.getOriginalMessage(), "", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] bytes(Object shape) {
        try {
            return json.writeValueAsBytes(shape);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not writable as JSON: " + shape, e);
        }
    }
}

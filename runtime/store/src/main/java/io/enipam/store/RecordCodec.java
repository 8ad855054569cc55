package io.enipam.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.store.RecordJson.DatabaseJson;
import io.enipam.store.RecordJson.NodeJson;
import io.enipam.store.RecordJson.PodJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The engine's changes and records as JSON text in one line. Each record carries its version in {@code "v"}: a higher one
 * than {@link #VERSION} is refused, unknown fields of the same version are passed over. A field that came to a record later is not
 * required, and all others are. Thread-safe.
 */
final class RecordCodec {
    static final int VERSION = 1;
    private static final byte[] TODAY = ("{\"v\":" + VERSION + ",").getBytes(StandardCharsets.UTF_8);

    private static final JsonMapper JSON = RecordJson.mapper();
    private static final ObjectWriter WRITER = JSON.writer().withAttribute(RecordJson.VERSION, VERSION);

    /** What a change does to the records: one mutation, or several that belong together. */
    List<Mutation> encode(Change change) {
        if (change instanceof Change.PutHold put) {
            return Mutation.putHold(
                    Bucket.of(put.hold().purpose()),
                    ResourceKey.of(put.hold().resource()).path(),
                    write(put.hold()));
        } else if (change instanceof Change.RemoveHold remove) {
            return Mutation.removeHold(remove.resource().path());
        }
        return List.of(encodeOne(change));
    }

    private Mutation encodeOne(Change change) {
        if (change instanceof Change.PutLease put) {
            return Mutation.put(Bucket.LEASES, put.lease().owner().toString(), write(put.lease()));
        } else if (change instanceof Change.RemoveLease remove) {
            return Mutation.remove(
                    Bucket.LEASES, remove.owner().toString(), remove.end().map(this::text));
        } else if (change instanceof Change.PutIntent put) {
            return Mutation.put(Bucket.INTENTS, put.intent().key(), write(put.intent()));
        } else if (change instanceof Change.RemoveIntent remove) {
            return Mutation.remove(Bucket.INTENTS, remove.key());
        } else if (change instanceof Change.PutOperation put) {
            return Mutation.put(Bucket.OPERATIONS, put.entry().id(), write(put.entry()));
        } else if (change instanceof Change.RemoveOperation remove) {
            return Mutation.remove(Bucket.OPERATIONS, remove.id());
        } else if (change instanceof Change.PutPod put) {
            return Mutation.put(Bucket.PODS, put.copy().pod().ref().toString(), write(PodJson.of(put.copy())));
        } else if (change instanceof Change.RemovePod remove) {
            return Mutation.remove(Bucket.PODS, remove.pod().toString());
        } else if (change instanceof Change.PutRow put) {
            return Mutation.put(Bucket.TABLES, put.row().path(), write(put.row()));
        } else if (change instanceof Change.RemoveRow remove) {
            return Mutation.remove(Bucket.TABLES, remove.path());
        } else if (change instanceof Change.PutNode put) {
            return Mutation.put(Bucket.META, NodeJson.KEY, write(NodeJson.of(put.node())));
        }
        throw new IllegalArgumentException("unknown change " + change.getClass().getSimpleName());
    }

    Mutation newDatabase(Instant created) {
        return database(created.toString());
    }

    /** What the database has to say of itself from now on, if that is something new: another program made it. */
    Optional<Mutation> upgrade(byte[] record) {
        DatabaseJson known = database(record);
        return known.format() < DatabaseJson.FORMAT ? Optional.of(database(known.created())) : Optional.empty();
    }

    /** Of the database, by what it says of itself. */
    int format(byte[] record) {
        return database(record).format();
    }

    Instant made(byte[] record) {
        return Instant.parse(database(record).created());
    }

    private Mutation database(String created) {
        return Mutation.put(
                Bucket.META, DatabaseJson.KEY, write(new DatabaseJson(VERSION, DatabaseJson.FORMAT, created)));
    }

    private DatabaseJson database(byte[] record) {
        return decode(Bucket.META, DatabaseJson.KEY, record, DatabaseJson.class, database -> database);
    }

    /** Why a lease was removed; empty if that is not written, or not known to this program. */
    Optional<LeaseEnd> end(Optional<String> why) {
        try {
            return why.isEmpty() ? Optional.empty() : Optional.of(JSON.readValue(why.get(), LeaseEnd.class));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }

    Lease lease(String key, byte[] record) {
        return decode(Bucket.LEASES, key, record, Lease.class, lease -> lease);
    }

    /** @param bucket that of the hold's purpose */
    Hold hold(Bucket bucket, String key, byte[] record) {
        return decode(bucket, key, record, Hold.class, hold -> {
            if (Bucket.of(hold.purpose()) != bucket) {
                throw new IllegalArgumentException("its purpose is " + hold.purpose());
            }
            return hold;
        });
    }

    Intent intent(String key, byte[] record) {
        return decode(Bucket.INTENTS, key, record, Intent.class, intent -> intent);
    }

    CloudJournal.Entry operation(String key, byte[] record) {
        return decode(Bucket.OPERATIONS, key, record, CloudJournal.Entry.class, entry -> entry);
    }

    PodCopy pod(String key, byte[] record) {
        return decode(Bucket.PODS, key, record, PodJson.class, PodJson::toCopy);
    }

    TableRow row(String key, byte[] record) {
        return decode(Bucket.TABLES, key, record, TableRow.class, row -> row);
    }

    NodeRecord node(byte[] record) {
        return decode(Bucket.META, NodeJson.KEY, record, NodeJson.class, NodeJson::toRecord);
    }

    /** @throws StoreException if a newer program made the database, or what it says of its node is not readable */
    void checkMeta(String key, byte[] record) {
        switch (key) {
            case DatabaseJson.KEY -> checkFormat("the database", format(record));
            case NodeJson.KEY -> node(record);
            default ->
                throw StoreException.newer(
                        "record " + Bucket.META.text() + "/" + key + " is of no kind that this program knows");
        }
    }

    /** Throws StoreException if a newer program made the file, or the database. */
    static void checkFormat(String what, int format) {
        if (format > DatabaseJson.FORMAT) {
            throw StoreException.newer(
                    what + " has format " + format + ", this program knows up to " + DatabaseJson.FORMAT);
        }
    }

    /** The change that puts a record of the engine's; throws StoreException if it is not readable. */
    Change put(Bucket bucket, String key, byte[] record) {
        return switch (bucket) {
            case META -> throw new IllegalArgumentException("the database's own records come from nowhere else");
            case LEASES -> new Change.PutLease(lease(key, record));
            case RESERVATIONS, QUARANTINE -> new Change.PutHold(hold(bucket, key, record));
            case INTENTS -> new Change.PutIntent(intent(key, record));
            case OPERATIONS -> new Change.PutOperation(operation(key, record));
            case PODS -> new Change.PutPod(pod(key, record));
            case TABLES -> new Change.PutRow(row(key, record));
        };
    }

    /** The record without what this program does not know of it; throws StoreException if it is not readable. */
    byte[] known(Bucket bucket, String key, byte[] record) {
        return encode(put(bucket, key, record)).stream()
                .flatMap(mutation -> mutation.record().stream())
                .findFirst()
                .orElseThrow();
    }

    private String text(Object record) {
        return new String(write(record), StandardCharsets.UTF_8);
    }

    private byte[] write(Object record) {
        try {
            return WRITER.writeValueAsBytes(record);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write " + record + " as JSON", e);
        }
    }

    private <J, R> R decode(Bucket bucket, String key, byte[] record, Class<J> shape, Function<J, R> decoder) {
        String name = bucket.text() + "/" + key;
        try {
            if (startsAsOfToday(record)) {
                return decoder.apply(JSON.readValue(record, shape));
            }
            JsonNode tree = JSON.readTree(record);
            int version = tree.path("v").asInt(0);
            if (version > VERSION) {
                throw StoreException.newer(
                        "record " + name + " has version " + version + ", this program knows up to " + VERSION);
            }
            if (version < 1) {
                throw StoreException.damaged("record " + name + " has no version");
            }
            return decoder.apply(JSON.treeToValue(tree, shape));
        } catch (StoreException e) {
            throw e;
        } catch (JsonProcessingException e) {
            throw StoreException.damaged("record " + name + " is not readable: " + e.getOriginalMessage(), e);
        } catch (IOException | RuntimeException e) { // whatever a foreign record leads the decoding to
            throw StoreException.damaged("record " + name + " is not readable: " + e.getMessage(), e);
        }
    }

    /** Whether the first words are those this program writes: then the version need not be looked for. */
    private static boolean startsAsOfToday(byte[] record) {
        return record.length > TODAY.length && Arrays.equals(record, 0, TODAY.length, TODAY, 0, TODAY.length);
    }
}

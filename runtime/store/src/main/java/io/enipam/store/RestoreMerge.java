package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.port.Change;
import io.enipam.store.DatabaseFileReader.DatabaseFile;
import io.enipam.store.RecordJson.NodeJson;
import io.enipam.store.StagedRestore.RestoreManifest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a database holds that takes the place of another one: the records of a file, and those of the node that no file
 * holds. Pure.
 */
final class RestoreMerge {
    private final Instant now;
    private final RecordCodec codec = new RecordCodec();

    /** @param now which cool-downs have not ended */
    RestoreMerge(Instant now) {
        this.now = now;
    }

    /** Whether a bucket describes the node as it is now, and is never taken from a file. */
    private static boolean ofTheNode(Bucket bucket) {
        return bucket == Bucket.META || bucket == Bucket.INTENTS || bucket == Bucket.OPERATIONS;
    }

    /** What is staged: the file's records, and what is pending in the cloud now. */
    List<Mutation> ofFile(DatabaseFile file, StoreSnapshot present) {
        List<Mutation> mutations = new ArrayList<>();
        for (Bucket bucket : Bucket.values()) {
            if (!ofTheNode(bucket)) {
                file.snapshot().of(bucket).forEach(record -> mutations.add(put(bucket, record)));
            }
        }
        mutations.addAll(replaced(Bucket.INTENTS, new StoreSnapshot(0, Map.of()), present));
        mutations.addAll(replaced(Bucket.OPERATIONS, new StoreSnapshot(0, Map.of()), present));
        mutations.addAll(unsettled(present));
        return mutations;
    }

    /**
     * What happened between staging and now: leases made since, and those that were not given up, stay; leases ended
     * since do not come back, and cool down as they do, as does every other address whose cool-down has not ended; what
     * is pending in the cloud, and what was seen of the pods later, counts.
     */
    List<Mutation> sinceStaged(RestoreManifest note, StoreSnapshot present, StoreSnapshot coming) {
        RestoreComparison leases = RestoreComparison.of(present, coming);
        Set<String> givenUp = new HashSet<>(note.givenUp());
        Map<String, byte[]> raw = byKey(present, Bucket.LEASES);
        Set<String> stays = new HashSet<>();
        List<Mutation> changes = new ArrayList<>();
        leases.present().forEach((owner, lease) -> {
            if (!leases.stays(owner) && !givenUp.contains(owner)) {
                leases.inTheWayOf(lease)
                        .forEach(other -> changes.add(
                                Mutation.remove(Bucket.LEASES, other.owner().toString())));
                holdsOf(coming, lease).forEach(changes::add);
                stays.add(owner);
            }
        });
        stays.forEach(owner -> changes.add(Mutation.put(
                Bucket.LEASES,
                owner,
                new String(Optional.ofNullable(raw.get(owner)).orElseThrow(), UTF_8))));
        for (String owner : note.inForce()) {
            Optional.ofNullable(leases.coming().get(owner))
                    .filter(lease -> !leases.present().containsKey(owner))
                    .ifPresent(lease -> {
                        changes.add(Mutation.remove(Bucket.LEASES, owner));
                        holdsNow(present, lease).forEach(changes::add);
                    });
        }
        changes.addAll(coolDowns(present, lent(leases, changes)));
        changes.addAll(replaced(Bucket.INTENTS, coming, present));
        changes.addAll(replaced(Bucket.OPERATIONS, coming, present));
        changes.addAll(laterPods(present, coming));
        changes.addAll(unsettled(present));
        return changes;
    }

    private static Stream<Mutation> holdsOf(StoreSnapshot coming, Lease lease) {
        String resource = lease.resource().id().value();
        return Stream.of(Bucket.RESERVATIONS, Bucket.QUARANTINE)
                .filter(bucket -> byKey(coming, bucket).containsKey(resource))
                .map(bucket -> Mutation.remove(bucket, resource));
    }

    private static Stream<Mutation> holdsNow(StoreSnapshot present, Lease lease) {
        String resource = lease.resource().id().value();
        return Stream.of(Bucket.RESERVATIONS, Bucket.QUARANTINE)
                .flatMap(bucket -> Optional.ofNullable(byKey(present, bucket).get(resource))
                        .map(hold -> Mutation.putHold(bucket, resource, new String(hold, UTF_8)))
                        .stream())
                .flatMap(List::stream);
    }

    /** The resources that are lent when the changes are made. */
    private static Set<String> lent(RestoreComparison leases, List<Mutation> changes) {
        Map<String, Lease> result = new HashMap<>(leases.coming());
        for (Mutation change : changes) {
            if (change.bucket() == Bucket.LEASES) {
                result.remove(change.key());
                if (change.json().isPresent()) {
                    result.put(
                            change.key(),
                            Optional.ofNullable(leases.present().get(change.key()))
                                    .orElseThrow());
                }
            }
        }
        return result.values().stream()
                .map(lease -> lease.resource().id().value())
                .collect(Collectors.toSet());
    }

    /** Cool-downs that run on this node run on: no restore makes an address cold that a pod has just had. */
    private List<Mutation> coolDowns(StoreSnapshot present, Set<String> lent) {
        return present.of(Bucket.QUARANTINE).stream()
                .filter(record -> !lent.contains(record.getKey()))
                .filter(record -> codec.quarantined(record.getKey(), record.getValue())
                        .until()
                        .isAfter(now))
                .flatMap(record ->
                        Mutation.putHold(Bucket.QUARANTINE, record.getKey(), new String(record.getValue(), UTF_8))
                                .stream())
                .toList();
    }

    private static List<Mutation> replaced(Bucket bucket, StoreSnapshot before, StoreSnapshot after) {
        List<Mutation> changes = new ArrayList<>();
        Map<String, byte[]> now = byKey(after, bucket);
        before.of(bucket).stream()
                .filter(record -> !now.containsKey(record.getKey()))
                .forEach(record -> changes.add(Mutation.remove(bucket, record.getKey())));
        after.of(bucket).forEach(record -> changes.add(put(bucket, record)));
        return changes;
    }

    private List<Mutation> laterPods(StoreSnapshot present, StoreSnapshot coming) {
        Map<String, byte[]> known = byKey(coming, Bucket.PODS);
        List<Mutation> changes = new ArrayList<>();
        for (Map.Entry<String, byte[]> record : present.of(Bucket.PODS)) {
            Optional<Instant> seen = Optional.ofNullable(known.get(record.getKey()))
                    .map(copy -> codec.pod(record.getKey(), copy).lastSeen());
            Instant seenNow = codec.pod(record.getKey(), record.getValue()).lastSeen();
            if (seen.isEmpty() || seen.get().isBefore(seenNow)) {
                changes.add(put(Bucket.PODS, record));
            }
        }
        return changes;
    }

    private List<Mutation> unsettled(StoreSnapshot present) {
        return present.of(Bucket.META).stream()
                .filter(record -> record.getKey().equals(NodeJson.KEY))
                .map(record -> codec.node(record.getValue()))
                .flatMap(node -> codec.encode(new Change.PutNode(new NodeRecord(node.identity(), false))).stream())
                .toList();
    }

    private static Map<String, byte[]> byKey(StoreSnapshot snapshot, Bucket bucket) {
        Map<String, byte[]> records = new LinkedHashMap<>();
        snapshot.of(bucket).forEach(record -> records.put(record.getKey(), record.getValue()));
        return records;
    }

    private static Mutation put(Bucket bucket, Map.Entry<String, byte[]> record) {
        return Mutation.put(bucket, record.getKey(), new String(record.getValue(), UTF_8));
    }
}

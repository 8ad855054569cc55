package io.enipam.store;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.startup.AddressIndex;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.store.RecordJson.NodeJson;
import io.enipam.store.StagedRestore.RestoreManifest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What a restored database holds: the records of a file, and those of the node that no file holds. Pure. */
final class RestoreMerge {
    private static final List<Bucket> HOLDS = List.of(Bucket.RESERVATIONS, Bucket.QUARANTINE);

    private final Instant now;
    private final RecordCodec codec = new RecordCodec();

    /** @param now which cool-downs have not ended */
    RestoreMerge(Instant now) {
        this.now = now;
    }

    /** What is staged: the file's records, and what is pending in the cloud now. */
    List<Mutation> ofFile(StoreSnapshot file, StoreSnapshot present) {
        List<Mutation> mutations = new ArrayList<>();
        for (Bucket bucket :
                List.of(Bucket.LEASES, Bucket.RESERVATIONS, Bucket.QUARANTINE, Bucket.PODS, Bucket.TABLES)) {
            file.of(bucket).forEach(record -> mutations.add(put(bucket, record)));
        }
        mutations.addAll(ofTheNode(StoreSnapshot.EMPTY, present));
        mutations.addAll(unsettled(present));
        return mutations;
    }

    /**
     * What happened between staging and now: leases made since, and those that were not given up, stay; leases ended
     * since do not come back, and cool down as they do, as does every other address whose cool-down has not ended; what
     * is pending in the cloud, and what was seen of the pods later, counts.
     */
    List<Mutation> sinceStaged(RestoreManifest note, StoreSnapshot present, StoreSnapshot coming) {
        RestoreComparison leases = new RestoreComparison(present, coming);
        Set<String> givenUp = new HashSet<>(note.givenUp());
        Map<String, byte[]> raw = present.byKey(Bucket.LEASES);
        AddressIndex<Mutation> held = holds(present);
        AddressIndex<Mutation> comingHeld = holds(coming);
        List<Mutation> changes = new ArrayList<>();
        List<Mutation> stays = new ArrayList<>();
        leases.present.forEach((owner, lease) -> {
            if (!leases.stays(owner) && !givenUp.contains(owner)) {
                leases.inTheWayOf(lease)
                        .forEach(other -> changes.add(
                                Mutation.remove(Bucket.LEASES, other.owner().toString())));
                comingHeld.at(lease.resource()).ifPresent(hold -> changes.add(removal(hold)));
                stays.add(put(Bucket.LEASES, Map.entry(owner, Objects.requireNonNull(raw.get(owner)))));
            }
        });
        changes.addAll(stays);
        for (String owner : note.inForce()) {
            Lease ended = leases.coming.get(owner);
            if (ended != null && !leases.present.containsKey(owner)) {
                changes.add(Mutation.remove(Bucket.LEASES, owner));
                held.at(ended.resource()).stream()
                        .flatMap(RestoreMerge::asOnlyHold)
                        .forEach(changes::add);
            }
        }
        changes.addAll(coolDowns(present, comingHeld, lent(leases, changes)));
        changes.addAll(ofTheNode(coming, present));
        changes.addAll(laterPods(present, coming));
        changes.addAll(unsettled(present));
        return changes;
    }

    /** By the addresses, too: the factory that made a resource may have been merged into another one since. */
    private AddressIndex<Mutation> holds(StoreSnapshot database) {
        AddressIndex<Mutation> all = new AddressIndex<>();
        HOLDS.forEach(bucket ->
                database.of(bucket).forEach(record -> all.put(resource(bucket, record), put(bucket, record))));
        return all;
    }

    private Resource resource(Bucket bucket, Map.Entry<String, byte[]> record) {
        return codec.hold(bucket, record.getKey(), record.getValue()).resource();
    }

    private static Mutation removal(Mutation hold) {
        return Mutation.remove(hold.bucket(), hold.key());
    }

    private static Stream<Mutation> asOnlyHold(Mutation hold) {
        return Mutation.putHold(hold.bucket(), hold.key(), hold.record().orElseThrow()).stream();
    }

    /** The resources that are lent when the changes are made. */
    private static AddressIndex<Lease> lent(RestoreComparison leases, List<Mutation> changes) {
        Map<String, Lease> result = new HashMap<>(leases.coming);
        for (Mutation change : changes) {
            if (change.bucket() == Bucket.LEASES) {
                result.remove(change.key());
                Optional.ofNullable(leases.present.get(change.key()))
                        .filter(lease -> change.record().isPresent())
                        .ifPresent(lease -> result.put(change.key(), lease));
            }
        }
        AddressIndex<Lease> lent = new AddressIndex<>();
        result.values().forEach(lease -> lent.put(lease.resource(), lease));
        return lent;
    }

    /** Cool-downs that run on this node run on: no restore makes an address cold that a pod has just had. */
    private List<Mutation> coolDowns(StoreSnapshot present, AddressIndex<Mutation> coming, AddressIndex<Lease> lent) {
        return present.of(Bucket.QUARANTINE).stream()
                .filter(record -> lent.at(resource(Bucket.QUARANTINE, record)).isEmpty())
                .filter(record -> codec.hold(Bucket.QUARANTINE, record.getKey(), record.getValue())
                        .until()
                        .isAfter(now))
                .flatMap(record -> Stream.concat(
                        coming.at(resource(Bucket.QUARANTINE, record)).map(RestoreMerge::removal).stream(),
                        asOnlyHold(put(Bucket.QUARANTINE, record))))
                .toList();
    }

    /** What is pending in the cloud is the node's as it is now, and never taken from a file. */
    private static List<Mutation> ofTheNode(StoreSnapshot before, StoreSnapshot after) {
        List<Mutation> changes = new ArrayList<>();
        for (Bucket bucket : List.of(Bucket.INTENTS, Bucket.OPERATIONS)) {
            Set<String> over = new LinkedHashSet<>(before.byKey(bucket).keySet());
            over.removeAll(after.byKey(bucket).keySet());
            over.forEach(key -> changes.add(Mutation.remove(bucket, key)));
            after.of(bucket).forEach(record -> changes.add(put(bucket, record)));
        }
        return changes;
    }

    private List<Mutation> laterPods(StoreSnapshot present, StoreSnapshot coming) {
        Map<String, byte[]> known = coming.byKey(Bucket.PODS);
        return present.of(Bucket.PODS).stream()
                .filter(record -> {
                    String pod = record.getKey();
                    byte[] copy = known.get(pod);
                    return copy == null
                            || codec.pod(pod, copy)
                                    .lastSeen()
                                    .isBefore(codec.pod(pod, record.getValue()).lastSeen());
                })
                .map(record -> put(Bucket.PODS, record))
                .toList();
    }

    private List<Mutation> unsettled(StoreSnapshot present) {
        return present.find(Bucket.META, NodeJson.KEY)
                .map(codec::node)
                .map(node -> codec.encode(new Change.PutNode(new NodeRecord(node.identity(), false))))
                .orElse(List.of());
    }

    private static Mutation put(Bucket bucket, Map.Entry<String, byte[]> record) {
        return Mutation.put(bucket, record.getKey(), record.getValue());
    }

    /** Leases in force beside the leases of a file: which of them stay, which would be lost, which would come back. */
    static final class RestoreComparison {
        private final Map<String, Lease> present;
        private final Map<String, Lease> coming;
        private final Map<Object, Lease> comingBy = new HashMap<>();

        RestoreComparison(StoreSnapshot present, StoreSnapshot coming) {
            this.present = leases(present);
            this.coming = leases(coming);
            this.coming.values().forEach(lease -> claims(lease).forEach(claim -> comingBy.put(claim, lease)));
        }

        /** What no two leases have together. */
        private static Stream<Object> claims(Lease lease) {
            return Stream.concat(
                    Stream.of(lease.owner().toString(), ResourceKey.of(lease.resource())),
                    lease.resource().addresses().stream().map(Address::ip));
        }

        static Map<String, Lease> leases(StoreSnapshot snapshot) {
            RecordCodec codec = new RecordCodec();
            Map<String, Lease> leases = new LinkedHashMap<>();
            snapshot.byKey(Bucket.LEASES).forEach((key, record) -> leases.put(key, codec.lease(key, record)));
            return leases;
        }

        int kept() {
            return (int) present.keySet().stream().filter(this::stays).count();
        }

        int returning() {
            return (int) coming.keySet().stream()
                    .filter(owner -> !present.containsKey(owner))
                    .count();
        }

        List<RestorePlan.Lost> lost() {
            return present.entrySet().stream()
                    .filter(lease -> !stays(lease.getKey()))
                    .map(lease -> new RestorePlan.Lost(lease.getValue(), instead(lease.getKey(), lease.getValue())))
                    .toList();
        }

        /** The leases of the file that cannot be beside this one: of the same owner, or with an address of it. */
        List<Lease> inTheWayOf(Lease lease) {
            return claims(lease)
                    .flatMap(claim -> Optional.ofNullable(comingBy.get(claim)).stream())
                    .distinct()
                    .toList();
        }

        /** Whether the lease that an owner has now is in the file, too, with the same addresses. */
        boolean stays(String owner) {
            Lease now = present.get(owner);
            Lease then = coming.get(owner);
            return now != null
                    && then != null
                    && now.resource().id().equals(then.resource().id())
                    && now.resource().addresses().equals(then.resource().addresses());
        }

        private String instead(String owner, Lease lease) {
            Lease then = coming.get(owner);
            if (then != null) {
                return "the file has it with " + then.resource().addresses();
            }
            return inTheWayOf(lease).stream()
                    .findFirst()
                    .map(other -> "the file lends the address to " + other.pod())
                    .orElse("not in the file");
        }
    }
}

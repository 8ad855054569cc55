package io.enipam.store;

import io.enipam.store.CheckpointFile.DamagedCheckpointReader;
import io.enipam.store.Recovery.StoreIncarnation;
import io.enipam.store.SalvageResult.MissingCommits;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is known of each record, from everything that proves itself: a checkpoint to start from, single records of
 * broken checkpoints, and commits. Where commits are missing the history goes on behind them, and remembers that they
 * are.
 *
 * <p>Not thread-safe.
 */
final class RecordHistory {
    private final FormerKeys formerKeys = new FormerKeys();
    private final Optional<StoreSnapshot> start;
    private final Map<Bucket, Map<String, State>> records = new EnumMap<>(Bucket.class);
    private final TreeMap<Long, Optional<List<Mutation>>> commits = new TreeMap<>();
    private final TreeMap<Long, List<DamagedCheckpointReader.Record>> singles = new TreeMap<>();
    private long last;

    /** The last thing known of a record; no JSON if it was removed. */
    private record State(long generation, Optional<byte[]> json) {}

    /** @param start the newest checkpoint that proves itself as a whole; empty if there is none */
    RecordHistory(Optional<StoreSnapshot> start) {
        this.start = start;
        this.last = start.map(StoreSnapshot::generation).orElse(0L);
    }

    Optional<Long> made() {
        return start.flatMap(StoreIncarnation::recorded);
    }

    /** A commit that proves itself. Two that differ under one number prove nothing: that number is missing. */
    void commit(long generation, List<Mutation> mutations) {
        commits.merge(
                generation,
                Optional.of(mutations),
                (one, other) -> one.equals(other) ? one : Optional.<List<Mutation>>empty());
        seen(generation);
    }

    /** A record that proves itself in a checkpoint which does not. */
    void single(long generation, DamagedCheckpointReader.Record record) {
        singles.computeIfAbsent(generation, any -> new ArrayList<>()).add(record);
        seen(generation);
    }

    /** So many commits were made, whether they can be read or not. */
    void seen(long generation) {
        last = Math.max(last, generation);
    }

    long last() {
        return last;
    }

    /** The commits after the start that are missing, ascending. */
    List<MissingCommits> gaps() {
        List<MissingCommits> gaps = new ArrayList<>();
        long next = begin() + 1;
        for (Map.Entry<Long, Optional<List<Mutation>>> commit :
                commits.tailMap(next, true).entrySet()) {
            if (commit.getValue().isEmpty()) {
                continue;
            }
            if (commit.getKey() > next) {
                gaps.add(new MissingCommits(next, commit.getKey() - 1));
            }
            next = commit.getKey() + 1;
        }
        if (next <= last) {
            gaps.add(new MissingCommits(next, last));
        }
        return gaps;
    }

    private long begin() {
        return start.map(StoreSnapshot::generation).orElse(0L);
    }

    /** Takes a record as it was written. */
    @FunctionalInterface
    interface Visitor {
        void record(Bucket bucket, String key, byte[] json, long generation, boolean certain);
    }

    /**
     * Visits what is left in order of bucket and key: the last state of each record, unless that is its removal.
     *
     * @param open whether commits may have been made after the last one that is known
     */
    void visit(boolean open, Visitor visitor) {
        replay();
        List<MissingCommits> gaps = gaps();
        long lastMissing = open
                ? Long.MAX_VALUE
                : gaps.isEmpty() ? 0 : gaps.get(gaps.size() - 1).to();
        records.forEach((bucket, states) -> states.forEach((key, state) -> state.json()
                .ifPresent(json ->
                        visitor.record(bucket, key, json, state.generation(), state.generation() > lastMissing))));
    }

    private void replay() {
        records.clear();
        start.ifPresent(snapshot -> snapshot.buckets()
                .forEach((bucket, kept) -> kept.forEach(record ->
                        put(bucket, record.getKey(), snapshot.generation(), Optional.of(record.getValue())))));
        Set<Long> generations = new TreeSet<>(commits.keySet());
        generations.addAll(singles.keySet());
        generations.removeIf(generation -> generation <= begin());
        for (long generation : generations) {
            commits.getOrDefault(generation, Optional.empty())
                    .ifPresent(mutations -> mutations.forEach(
                            mutation -> put(mutation.bucket(), mutation.key(), generation, mutation.record())));
            singles.getOrDefault(generation, List.of())
                    .forEach(record -> put(record.bucket(), record.key(), generation, Optional.of(record.json())));
        }
        keysOfToday();
    }

    private void put(Bucket bucket, String key, long generation, Optional<byte[]> json) {
        records.computeIfAbsent(bucket, any -> new TreeMap<>()).put(key, new State(generation, json));
        if (json.filter(record -> formerKeys.end(bucket, key, record)).isPresent()) {
            keysOfToday();
        }
    }

    /** Of a row under both keys, if the commit between is missing, the later state counts. */
    private void keysOfToday() {
        for (Bucket bucket : FormerKeys.BUCKETS) {
            Map<String, State> states = records.getOrDefault(bucket, new TreeMap<>());
            Map.copyOf(states)
                    .forEach((former, state) -> state.json()
                            .flatMap(json -> formerKeys.today(bucket, former, json))
                            .ifPresent(key -> {
                                states.remove(former);
                                states.merge(
                                        key,
                                        state,
                                        (one, other) -> one.generation() < other.generation() ? other : one);
                            }));
        }
    }
}

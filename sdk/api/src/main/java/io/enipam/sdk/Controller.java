package io.enipam.sdk;

import java.time.Duration;
import java.util.List;

/**
 * Keeps something as it is wanted, one key after the other: the block of a node, the addresses of a service.
 *
 * <p>{@link Source}s report the keys of what exists, and of what changes. The host reconciles each key that is reported: it asks
 * {@link #reconcile}, which compares what is wanted with what is there, and writes the difference. The host has the queue, the
 * workers and the back-off, and of several replicas it lets one reconcile at a time.
 *
 * <pre>{@code
 * public List<Source> watches() {
 *     return List.of(nodes, Source.ofTable(journal, BLOCKS));
 * }
 *
 * public Next reconcile(String node, Transaction tx) {
 *     Optional<Row<String>> block = tx.get(BLOCKS, node);
 *     if (nodes.get(node).isEmpty()) {
 *         tx.delete(BLOCKS, node);
 *     } else if (block.isEmpty()) {
 *         String free = firstFree(tx.scan(BLOCKS, ""));
 *         tx.put(BLOCKS, node, free);
 *         tx.effect("assign", node, free);
 *     }
 *     return Next.done();
 * }
 * }</pre>
 *
 * <p><b>Keys.</b> A key is 1 to 512 characters without control characters, such as {@code NAMESPACE/NAME}. A key that is reported
 * twice before it is reconciled is reconciled once; the same key is never reconciled twice at once; one that is reported while it is
 * reconciled is reconciled once more after that. Different keys are reconciled at once and in any order.
 *
 * <p><b>Leadership.</b> On a host with replicas the part is open on each of them, and active on the one that leads. Only there are the
 * sources open, are keys reconciled and effects performed. When a replica stops leading, its sources are closed, a reconcile that
 * is under way is not committed, and effects that wait are performed by the next leader. A new leader begins with all keys that its
 * sources tell.
 */
public interface Controller extends Performer {
    /**
     * What reports the keys; with different names, the same each time, and at most 100. What was deleted while no replica led is reported by
     * none but a source of what the part itself keeps: {@link Source#ofTable}.
     */
    List<Source> watches();

    /**
     * Does what a key needs, by what it writes. The host asks it when all sources are synced, after each change of the key, and
     * as the last answer says. Must be through after 5 s, the commit included.
     *
     * <p>Pure, but for the transaction and for what the part's sources keep in memory: it runs again when rows that it read have
     * changed, or when a crash came before the commit. It does not rely on what made the host ask: a key whose object is gone is
     * asked about as well. Where everything is as wanted, it writes nothing.
     *
     * @throws RuntimeException whatever is thrown counts as a failure of the plugin, and as {@link Next#retry}
     */
    Next reconcile(String key, Transaction tx);

    /** How the host treats the keys. Constant. */
    default Limits limits() {
        return Limits.DEFAULT;
    }

    /**
     * How a host treats a controller's keys.
     *
     * @param workers how many keys are reconciled at once, 1 to 64
     * @param queue how many keys may wait before {@code doctor} says that the workers do not keep up, 1 to 1,000,000. No key is
     *     lost when there are more: the host keeps a set of them, of 1,000,000 at most; beyond that the source counts as lost
     * @param firstPause before the first retry of a key, 1 ms to an hour; twice as long before each further one, with jitter
     * @param longestPause between two retries, {@code firstPause} to a day
     * @param retries how often a key is retried in a row, 0 or more; then it is left until it is reported again, and shown as failing
     */
    record Limits(int workers, int queue, Duration firstPause, Duration longestPause, int retries) {
        /** Eight workers, a queue of 10,000 keys, pauses from half a second to five minutes, and retries without end. */
        public static final Limits DEFAULT =
                new Limits(8, 10_000, Duration.ofMillis(500), Duration.ofMinutes(5), Integer.MAX_VALUE);

        public Limits {
            boolean pauses = firstPause.compareTo(Duration.ofMillis(1)) >= 0
                    && firstPause.compareTo(Duration.ofHours(1)) <= 0
                    && longestPause.compareTo(firstPause) >= 0
                    && longestPause.compareTo(Duration.ofDays(1)) <= 0;
            if (workers < 1 || workers > 64 || queue < 1 || queue > 1_000_000 || !pauses || retries < 0) {
                throw new IllegalArgumentException("a controller needs workers 1..64, a queue of 1..1000000, pauses of"
                        + " 1 ms <= first <= 1 h and first <= longest <= 1 day, and retries >= 0, got " + workers + ", "
                        + queue + ", " + firstPause + ", " + longestPause + ", " + retries);
            }
        }
    }
}

package io.enipam.sdk.testkit;

import io.enipam.sdk.Activity;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Draws pools at random: small and large, empty and full, in all states. For one thread. */
final class RandomPools {
    private static final int[] SIZES = {0, 1, 2, 3, 5, 10, 30, 100, 300};
    private static final List<ResourceState> STATES = Stream.of(ResourceState.values())
            .filter(state -> state != ResourceState.CREATING)
            .toList();
    private final Random random;

    RandomPools(long seed) {
        random = new Random(seed);
    }

    PoolSnapshot next() {
        int size = SIZES[random.nextInt(SIZES.length)];
        int creating = random.nextInt(4) == 0 ? random.nextInt(5) : 0;
        int capacity = size + creating + (random.nextInt(3) == 0 ? 0 : random.nextInt(50));
        int minIdle = random.nextInt(10);
        Snapshots.Builder pool = Snapshots.pool()
                .at(Instant.ofEpochSecond(1_767_225_600L + random.nextInt(100_000_000)))
                .capacity(capacity)
                .watermarks(minIdle, minIdle + random.nextInt(10))
                .creating(creating)
                .waiting(random.nextInt(3) == 0 ? random.nextInt(20) : 0)
                .activity(activity());
        int parents = 1 + random.nextInt(10);
        int mood = random.nextInt(4);
        for (int i = 0; i < size; i++) {
            pool.in(state(mood), "eni-" + random.nextInt(parents), 1);
        }
        return pool.build();
    }

    /** Moods: anything; all idle; all lent; mostly idle or lent. */
    private ResourceState state(int mood) {
        return switch (mood) {
            case 0 -> STATES.get(random.nextInt(STATES.size()));
            case 1 -> ResourceState.IDLE;
            case 2 -> ResourceState.IN_USE;
            default ->
                random.nextInt(10) == 0
                        ? STATES.get(random.nextInt(STATES.size()))
                        : random.nextBoolean() ? ResourceState.IDLE : ResourceState.IN_USE;
        };
    }

    private Activity activity() {
        int intervals = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(60);
        int busy = 1 + random.nextInt(50);
        return new Activity(
                Duration.ofSeconds(10),
                random.ints(intervals, 0, busy).boxed().toList(),
                random.ints(intervals, 0, busy).boxed().toList(),
                random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(random.nextInt(30_000)));
    }
}

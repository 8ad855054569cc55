package io.enipam.sdk.testkit;

import io.enipam.sdk.Activity;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Pools for the tests of policies: one built by hand, or many at random from a seed.
 *
 * <pre>{@code
 * PoolSnapshot pool = Snapshots.pool().capacity(50).watermarks(2, 5).idle("eni-1", 3).inUse("eni-2", 10).build();
 * Snapshots.random(42).limit(1_000).forEach(snapshot -> ...);
 * }</pre>
 */
public final class Snapshots {
    private Snapshots() {}

    /** An empty pool of capacity 100 with watermarks 2 and 5. */
    public static Builder pool() {
        return new Builder();
    }

    /** Pools without end: small and large, empty and full, in all states; the same for the same seed. */
    public static Stream<PoolSnapshot> random(long seed) {
        RandomPools pools = new RandomPools(seed);
        return Stream.generate(pools::next);
    }

    /** Builds one snapshot. For one thread. */
    public static final class Builder {
        private final List<ResourceView> idle = new ArrayList<>();
        private final List<ResourceView> others = new ArrayList<>();
        private Instant at = Instant.parse("2026-01-01T00:00:00Z");
        private ResourceKind kind = ResourceKind.ENI_IP;
        private int capacity = 100;
        private int minIdle = 2;
        private int maxIdle = 5;
        private int creating;
        private int waiting;
        private final List<PodView> waiters = new ArrayList<>();
        private Activity activity = Activity.NONE;

        private Builder() {}

        public Builder at(Instant moment) {
            at = moment;
            return this;
        }

        public Builder kind(ResourceKind what) {
            kind = what;
            return this;
        }

        public Builder capacity(int most) {
            capacity = most;
            return this;
        }

        public Builder watermarks(int minIdle, int maxIdle) {
            this.minIdle = minIdle;
            this.maxIdle = maxIdle;
            return this;
        }

        public Builder creating(int asked) {
            creating = asked;
            return this;
        }

        public Builder waiting(int callers) {
            waiting = callers;
            return this;
        }

        /** Callers that wait for an address for these pods, next first. */
        public Builder waiting(PodView... pods) {
            waiters.addAll(List.of(pods));
            waiting = waiters.size();
            return this;
        }

        public Builder activity(Activity lately) {
            activity = lately;
            return this;
        }

        /** So many idle resources of one parent, the first of them idle longest. */
        public Builder idle(String parent, int count) {
            return in(ResourceState.IDLE, parent, count);
        }

        /** So many lent resources of one parent. */
        public Builder inUse(String parent, int count) {
            return in(ResourceState.IN_USE, parent, count);
        }

        /** A lent resource of one parent for each of these pods. */
        public Builder inUse(String parent, PodView... owners) {
            for (PodView owner : owners) {
                in(ResourceState.IN_USE, parent, Optional.of(owner));
            }
            return this;
        }

        /** So many resources of one parent in one state; addresses and ids are made up, each a second newer than the last. */
        public Builder in(ResourceState state, String parent, int count) {
            for (int i = 0; i < count; i++) {
                in(state, parent, Optional.empty());
            }
            return this;
        }

        /** One resource of one parent in one state, with an owner where that state has one. */
        public Builder in(ResourceState state, String parent, Optional<PodView> owner) {
            int number = idle.size() + others.size();
            String host = "10." + (number >> 16) + "." + (number >> 8 & 255) + "." + (number & 255);
            ResourceId id = new ResourceId(parent + "/" + host);
            Resource resource = new Resource(id, kind, List.of(Address.parse(host + "/8")), parent, Map.of());
            return add(new ResourceView(
                    resource, state, at.minus(Duration.ofHours(2)).plusSeconds(number), owner));
        }

        /** One resource; the idle ones come in the order of these calls, longest idle first. */
        public Builder add(ResourceState state, Resource resource, Instant since) {
            return add(new ResourceView(resource, state, since));
        }

        private Builder add(ResourceView view) {
            (view.state() == ResourceState.IDLE ? idle : others).add(view);
            return this;
        }

        public PoolSnapshot build() {
            List<ResourceView> all = new ArrayList<>(idle);
            all.addAll(others);
            return new PoolSnapshot(at, kind, capacity, minIdle, maxIdle, creating, waiting, activity, all, waiters);
        }
    }

    /** Draws pools at random: small and large, empty and full, in all states. For one thread. */
    private static final class RandomPools {
        private static final List<String> NAMESPACES = List.of("default", "kube-system", "shop", "batch");
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
                    .activity(activity());
            int parents = 1 + random.nextInt(10);
            int mood = random.nextInt(4);
            for (int i = 0; i < size; i++) {
                ResourceState state = state(mood);
                pool.in(state, "eni-" + random.nextInt(parents), owner(state, i));
            }
            int waiting = random.nextInt(3) == 0 ? random.nextInt(20) : 0;
            for (int i = 0; i < waiting; i++) {
                pool.waiting(pod(size + i));
            }
            return pool.build();
        }

        private Optional<PodView> owner(ResourceState state, int number) {
            return switch (state) {
                case IN_USE, RESERVED -> Optional.of(pod(number));
                case INVALID -> random.nextBoolean() ? Optional.of(pod(number)) : Optional.empty();
                case CREATING, IDLE, COOLING, DISPOSING -> Optional.empty();
            };
        }

        /** One of several owners: pods of a few namespaces, some without labels, as after a restart. */
        private PodView pod(int number) {
            PodRef ref = new PodRef(NAMESPACES.get(random.nextInt(NAMESPACES.size())), "web-" + number);
            return random.nextInt(5) == 0
                    ? PodView.of(ref)
                    : PodView.of(
                            ref,
                            Map.of("app", "web", "tier", "t" + random.nextInt(3)),
                            Map.of("example.com/team", "team-" + random.nextInt(4)));
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
}

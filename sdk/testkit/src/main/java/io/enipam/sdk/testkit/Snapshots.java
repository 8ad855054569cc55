package io.enipam.sdk.testkit;

import io.enipam.sdk.Activity;
import io.enipam.sdk.Address;
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

        /** So many resources of one parent in one state; addresses and ids are made up, each a second newer than the last. */
        public Builder in(ResourceState state, String parent, int count) {
            for (int i = 0; i < count; i++) {
                int number = idle.size() + others.size();
                String host = "10." + (number >> 16) + "." + (number >> 8 & 255) + "." + (number & 255);
                add(
                        state,
                        new Resource(
                                new ResourceId(parent + "/" + host),
                                kind,
                                List.of(Address.parse(host + "/8")),
                                parent,
                                Map.of()),
                        at.minus(Duration.ofHours(2)).plusSeconds(number));
            }
            return this;
        }

        /** One resource; the idle ones come in the order of these calls, longest idle first. */
        public Builder add(ResourceState state, Resource resource, Instant since) {
            (state == ResourceState.IDLE ? idle : others).add(new ResourceView(resource, state, since));
            return this;
        }

        public PoolSnapshot build() {
            List<ResourceView> all = new ArrayList<>(idle);
            all.addAll(others);
            return new PoolSnapshot(at, kind, capacity, minIdle, maxIdle, creating, waiting, activity, all);
        }
    }
}

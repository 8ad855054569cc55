package io.enipam.emulator.cloud;

import io.enipam.emulator.cloud.EmulatedEni.Attachment;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * The addresses of vSwitches that several clouds give away, each to instances of its own: one account's, of which a simulation keeps the
 * ENIs of each node apart. What is shared is how many addresses are taken, not which: two clouds may give away the same one, and
 * their instances never meet. Thread-safe; calls of the clouds come in the order of their times ({@link CloudTime#awaitTurn}).
 */
public final class SharedVSwitches {
    /** By vSwitch, what all clouds have taken, in their primary ENIs too. */
    private final Map<String, Integer> taken = new HashMap<>();

    private final PriorityQueue<Release> releases = new PriorityQueue<>();
    private long queued;

    /** The addresses of an ENI that is being deleted: they are free again without a call. */
    private record Release(Instant at, long number, Part part, EmulatedEni eni) implements Comparable<Release> {
        @Override
        public int compareTo(Release other) {
            int order = at.compareTo(other.at);
            return order != 0 ? order : Long.compare(number, other.number);
        }
    }

    /** What one cloud has taken. */
    public final class Part {
        private final Map<String, Integer> mine = new HashMap<>();
        private final Set<String> going = new HashSet<>();

        private Part() {}

        /** The cloud's state is another one. */
        void changed(CloudState state, Instant now) {
            synchronized (SharedVSwitches.this) {
                release(now);
                Map<String, Integer> before = Map.copyOf(mine);
                before.forEach((vswitch, count) -> add(vswitch, -count));
                for (EmulatedEni eni : state.enis().values()) {
                    add(eni.ips().vswitchId(), eni.addressesTakenCount());
                    Attachment doing = eni.attachment();
                    if (doing.status() == EniStatus.DELETING
                            && doing.statusEnds().isPresent()
                            && going.add(eni.id())) {
                        releases.add(new Release(doing.statusEnds().get(), queued++, this, eni));
                    }
                }
            }
        }

        private void add(String vswitch, int count) {
            mine.merge(vswitch, count, Integer::sum);
            taken.merge(vswitch, count, Integer::sum);
        }

        /** How many addresses of a vSwitch the other clouds have. */
        public int elsewhere(String vswitch, Instant now) {
            synchronized (SharedVSwitches.this) {
                release(now);
                return taken.getOrDefault(vswitch, 0) - mine.getOrDefault(vswitch, 0);
            }
        }
    }

    /** One more cloud, which takes what is taken in its first state. */
    public Part join(CloudState initial, Instant now) {
        Part part = new Part();
        part.changed(initial, now);
        return part;
    }

    private void release(Instant now) {
        while (!releases.isEmpty() && !releases.element().at().isAfter(now)) {
            Release over = releases.remove();
            if (over.part().going.remove(over.eni().id())) {
                over.part().add(over.eni().ips().vswitchId(), -over.eni().addressesTakenCount());
            }
        }
    }
}

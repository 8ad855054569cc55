package io.enipam.examples.warmtarget;

import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A snapshot counted once, the way AWS counts: an address is assigned or available. What is being disposed of, and what the
 * cloud lost, is there no more; what is being created is available already, since it was asked for. For one thread.
 */
final class AddressCounts {
    private final Map<String, Eni> enis = new HashMap<>();
    private int idle;
    private int cooling;
    private int held;
    private final int creating;
    private final boolean coolingIsWarm;

    private AddressCounts(int creating, boolean coolingIsWarm) {
        this.creating = creating;
        this.coolingIsWarm = coolingIsWarm;
    }

    static AddressCounts of(PoolSnapshot pool, boolean coolingIsWarm) {
        AddressCounts stock = new AddressCounts(pool.creating(), coolingIsWarm);
        for (ResourceView view : pool.resources()) {
            stock.count(view);
        }
        return stock;
    }

    private void count(ResourceView view) {
        // what hangs on nothing comes and goes by itself, as an ENI of one address does
        Resource resource = view.resource();
        String key = resource.parent().isEmpty() ? resource.id().value() : resource.parent();
        Eni eni = enis.computeIfAbsent(key, Eni::new);
        switch (view.state()) {
            case IDLE -> {
                idle++;
                eni.idle(view);
            }
            case IN_USE, RESERVED -> {
                held++;
                eni.assigned++;
            }
            case COOLING -> {
                cooling++;
                eni.cooling++;
            }
            case INVALID -> eni.lost++;
            case DISPOSING -> eni.leaving++;
            case CREATING -> {}
        }
    }

    /** Free to be lent now. */
    int idle() {
        return idle;
    }

    int cooling() {
        return cooling;
    }

    /** How many cooling addresses stand in for idle ones. */
    int coolingWarm() {
        return coolingIsWarm ? cooling : 0;
    }

    /** Not available: lent, reserved, and cooling where that is kept apart. */
    int assigned() {
        return coolingIsWarm ? held : held + cooling;
    }

    int available() {
        return idle + creating + coolingWarm();
    }

    int total() {
        return assigned() + available();
    }

    Collection<Eni> enis() {
        return enis.values();
    }

    /** How many addresses the fullest ENI has; at least one. */
    int fullestEni() {
        int most = 1;
        for (Eni eni : enis.values()) {
            most = Math.max(most, eni.total());
        }
        return most;
    }

    /** The addresses of one ENI. */
    static final class Eni {
        private final String name;
        private final List<ResourceId> idle = new ArrayList<>();
        private final List<ResourceId> primary = new ArrayList<>(1);
        private Instant youngest = Instant.MIN;
        private int assigned;
        private int cooling;
        private int lost;
        private int leaving;

        private Eni(String name) {
            this.name = name;
        }

        private void idle(ResourceView view) {
            (view.resource().primary() ? primary : idle).add(view.resource().id());
            if (view.since().isAfter(youngest)) {
                youngest = view.since();
            }
        }

        String name() {
            return name;
        }

        int idleCount() {
            return idle.size() + primary.size();
        }

        int total() {
            return idleCount() + assigned + cooling;
        }

        /** Whether nothing but idle addresses is on it. */
        boolean empty() {
            return idleCount() > 0 && assigned == 0 && cooling == 0 && lost == 0;
        }

        /** Whether all its idle addresses were idle by then. */
        boolean quietSince(Instant then) {
            return !youngest.isAfter(then);
        }

        /** Its idle addresses in the order in which they can go: the primary one last. */
        List<ResourceId> wayOut() {
            List<ResourceId> order = new ArrayList<>(idle);
            order.addAll(primary);
            return order;
        }

        /** What can go at once of an empty ENI: the primary address only alone, and so after all others are gone. */
        List<ResourceId> canGoNow() {
            boolean alone = idle.isEmpty() && leaving == 0;
            return alone ? primary : idle;
        }
    }
}

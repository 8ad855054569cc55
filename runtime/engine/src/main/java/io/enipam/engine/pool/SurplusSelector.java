package io.enipam.engine.pool;

import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Chooses which idle resources go when there are too many. A primary address goes only when it is the last of its parent,
 * since it goes with the parent; those with siblings are passed over instead of blocking the ones behind them.
 */
final class SurplusSelector {
    private SurplusSelector() {}

    /**
     * @param surplus how many too many there are; none if below 1
     * @param shedFirst those to take first, if they are idle
     */
    static List<Slot> choose(Inventory inventory, int surplus, List<ResourceId> shedFirst) {
        List<Slot> chosen = new ArrayList<>();
        if (surplus <= 0) {
            return chosen;
        }
        for (Slot slot : inOrder(inventory, shedFirst)) {
            if (chosen.size() == surplus) {
                break;
            }
            if (!slot.resource.primary() || inventory.siblings(slot.resource.parent()) == 1) {
                chosen.add(slot);
            }
        }
        return chosen;
    }

    private static LinkedHashSet<Slot> inOrder(Inventory inventory, List<ResourceId> shedFirst) {
        LinkedHashSet<Slot> order = new LinkedHashSet<>();
        for (ResourceId id : shedFirst) {
            Slot slot = inventory.get(id);
            if (slot != null && slot.state == ResourceState.IDLE) {
                order.add(slot);
            }
        }
        inventory.idle().forEach(order::add);
        return order;
    }
}

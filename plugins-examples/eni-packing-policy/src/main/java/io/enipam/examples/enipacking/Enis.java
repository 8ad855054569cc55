package io.enipam.examples.enipacking;

import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A snapshot grouped by ENI, in one walk. What hangs on nothing comes and goes by itself, as an ENI of one address does. */
final class Enis {
    private final Collection<Eni> all;

    private Enis(Collection<Eni> all) {
        this.all = all;
    }

    static Enis of(PoolSnapshot pool) {
        Map<String, Eni> byName = new HashMap<>();
        for (ResourceView view : pool.resources()) {
            Resource resource = view.resource();
            String name = resource.parent().isEmpty() ? resource.id().value() : resource.parent();
            byName.computeIfAbsent(name, Eni::new).count(view);
        }
        return new Enis(byName.values());
    }

    Collection<Eni> all() {
        return all;
    }

    int idle() {
        int idle = 0;
        for (Eni eni : all) {
            idle += eni.idleCount();
        }
        return idle;
    }

    /** From the emptiest to the fullest. */
    List<Eni> emptiestFirst() {
        List<Eni> order = new ArrayList<>(all);
        order.sort(Eni.EMPTIEST_FIRST);
        return order;
    }
}

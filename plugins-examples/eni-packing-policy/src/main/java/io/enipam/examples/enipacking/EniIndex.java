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
final class EniIndex {
    private final Collection<EniAddresses> all;

    private EniIndex(Collection<EniAddresses> all) {
        this.all = all;
    }

    static EniIndex of(PoolSnapshot pool) {
        Map<String, EniAddresses> byName = new HashMap<>();
        for (ResourceView view : pool.resources()) {
            Resource resource = view.resource();
            String name = resource.parent().isEmpty() ? resource.id().value() : resource.parent();
            byName.computeIfAbsent(name, EniAddresses::new).count(view);
        }
        return new EniIndex(byName.values());
    }

    Collection<EniAddresses> all() {
        return all;
    }

    int idle() {
        int idle = 0;
        for (EniAddresses eni : all) {
            idle += eni.idleCount();
        }
        return idle;
    }

    /** From the emptiest to the fullest. */
    List<EniAddresses> emptiestFirst() {
        List<EniAddresses> order = new ArrayList<>(all);
        order.sort(EniAddresses.EMPTIEST_FIRST);
        return order;
    }
}

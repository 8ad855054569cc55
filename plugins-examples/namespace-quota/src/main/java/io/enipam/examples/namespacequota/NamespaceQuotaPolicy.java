package io.enipam.examples.namespacequota;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import java.util.function.Supplier;

/**
 * Refuses a pod whose namespace has its quota of addresses; in all else it is the {@code watermark} policy.
 *
 * <p>The pod itself does not count: where a runtime sets its sandbox up anew before it ends the former one, the pod has an
 * address already, and gets another for the moment. Pods that wait do count, else a burst on an empty pool would all be let
 * in.
 *
 * @param quotas those of now
 */
record NamespaceQuotaPolicy(Supplier<Quotas> quotas) implements PoolPolicy {
    static final String NAME = "namespace-quota";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Pick pick(PoolSnapshot pool, PodView pod) {
        String namespace = pod.ref().namespace();
        Quotas now = quotas.get();
        int limit = now.of(namespace);
        NamespaceUse others =
                NamespaceUse.of(pool, other -> other.namespace().equals(namespace) && !other.equals(pod.ref()));
        return others.total() < limit ? Pick.longestIdle() : refused(namespace, others, limit, now.keyOf(namespace));
    }

    private static Pick refused(String namespace, NamespaceUse others, int limit, String key) {
        String waiting = others.waiting() == 0 ? "" : " (" + others.waiting() + " of its pods wait for one)";
        return Pick.refuse(
                ErrorKind.QUOTA_EXHAUSTED,
                "namespace " + namespace + " has " + others.total() + " of its " + limit + " addresses on this node"
                        + waiting + ": delete one of its pods here, or raise plugins.namespace-quota." + key);
    }
}

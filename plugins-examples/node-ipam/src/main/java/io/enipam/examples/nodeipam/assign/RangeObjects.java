package io.enipam.examples.nodeipam.assign;

import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.Next;
import io.enipam.sdk.Source;
import io.enipam.sdk.Transaction;
import java.util.concurrent.CompletionStage;

/**
 * The objects that an allocator has its ranges from, which the controller reconciles beside the nodes. Their keys are
 * {@code PREFIX/NAME}: a node's name has no slash. Thread-safe.
 */
public interface RangeObjects {
    /** {@code clustercidr}; constant. */
    String prefix();

    /** Tells the keys, with the prefix. */
    Source source();

    /**
     * As {@link io.enipam.sdk.Controller#reconcile}.
     *
     * @param name without the prefix
     */
    Next reconcile(String name, Transaction tx);

    /** As {@link io.enipam.sdk.Controller#perform}, of the effects that {@link #reconcile} wrote. */
    CompletionStage<EffectResult> perform(Effect effect);
}

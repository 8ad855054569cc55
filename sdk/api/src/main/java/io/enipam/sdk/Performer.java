package io.enipam.sdk;

import java.util.concurrent.CompletionStage;

/**
 * A part whose transactions have effects: a file, a call of an API, a patch of a node.
 *
 * <p>The host writes an effect with the commit, performs it after that, at least once, and forgets it when it is performed: also
 * after a crash, or when the part was closed and opened again. Effects that have the claim,
 * the key or the token in common are performed one after the other, in the order of their commits; others meanwhile. {@code plugin effects}
 * shows those that wait.
 */
public interface Performer extends Part {
    /**
     * Performs an effect. Idempotent by its token: called again after it has worked, it says so and changes nothing. Must return
     * at once, and complete within 60 s.
     *
     * @return a stage that fails counts as {@link Failed} of kind {@link ErrorKind#INTERNAL}
     */
    CompletionStage<EffectResult> perform(Effect effect);
}

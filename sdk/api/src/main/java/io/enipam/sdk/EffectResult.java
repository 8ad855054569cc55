package io.enipam.sdk;

/**
 * What became of an {@link Effect}: {@link Performed}, or {@link Failed}. One that failed is tried again until it works or an
 * operator drops it, whatever its kind; the kind decides whether a caller waits for that ({@link ErrorKind#transientFailure}).
 */
public sealed interface EffectResult permits EffectResult.Performed, Failed {
    /** It is done, now or by an earlier try. */
    record Performed() implements EffectResult {}

    static EffectResult performed() {
        return new Performed();
    }
}

package io.enipam.sdk.cluster;

import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import java.util.Optional;

/**
 * What became of a request: it has either a value or a failure.
 *
 * @param failure of a kind of {@link Cluster}'s table; its message names the request and the reason, for an operator
 */
public record Reply<T>(Optional<T> value, Optional<Failed> failure) {
    public Reply {
        if (value.isPresent() == failure.isPresent()) {
            throw new IllegalArgumentException("either a value or a failure, got " + value + ", " + failure);
        }
    }

    public static <T> Reply<T> of(T value) {
        return new Reply<>(Optional.of(value), Optional.empty());
    }

    public static <T> Reply<T> failed(Failed failure) {
        return new Reply<>(Optional.empty(), Optional.of(failure));
    }

    /** Whether it failed for this reason. */
    public boolean is(ErrorKind kind) {
        return failure.map(Failed::kind).filter(kind::equals).isPresent();
    }

    /** For an effect that is this request. */
    public EffectResult asEffectResult() {
        return failure.<EffectResult>map(failed -> failed).orElseGet(EffectResult::performed);
    }
}

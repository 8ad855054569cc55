package io.enipam.sdk.cloud;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import java.util.function.Function;

/** What became of a call of the cloud: {@link Done}, or {@link NotDone}. */
public sealed interface Outcome<T> permits Outcome.Done, Outcome.NotDone {
    /** It is done. */
    record Done<T>(T value) implements Outcome<T> {}

    /**
     * It failed.
     *
     * @param failure its kind, by which the caller decides what to do, and a message with the cloud's code and request id
     * @param unknown whether the cloud may have done it, or may still do it: the same call, with the same token if it takes one,
     *     finds out; else the cloud has refused it, and nothing was done
     */
    record NotDone<T>(Failed failure, boolean unknown) implements Outcome<T> {
        /** The same for a caller that expected something else. */
        public <R> NotDone<R> as() {
            return new NotDone<>(failure, unknown);
        }
    }

    /** A failure that has done nothing. */
    static <T> Outcome<T> refused(ErrorKind kind, String message) {
        return new NotDone<>(Failed.of(kind, message), false);
    }

    /** One of two results. */
    default <R> R fold(Function<T, R> done, Function<NotDone<T>, R> notDone) {
        return this instanceof Done<T> it ? done.apply(it.value()) : notDone.apply((NotDone<T>) this);
    }
}

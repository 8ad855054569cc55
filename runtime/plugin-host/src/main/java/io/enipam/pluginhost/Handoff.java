package io.enipam.pluginhost;

import java.util.Optional;
import java.util.function.Consumer;

/** Hands a thing from one thread to another that may have given up waiting: then the thing goes back. Thread-safe. */
final class Handoff<T> {
    private final Consumer<T> giveBack;
    private Optional<T> delivered = Optional.empty();
    private boolean refused;

    Handoff(Consumer<T> giveBack) {
        this.giveBack = giveBack;
    }

    /** The thing is there. */
    T deliver(T thing) {
        synchronized (this) {
            if (!refused) {
                delivered = Optional.of(thing);
                return thing;
            }
        }
        giveBack.accept(thing);
        return thing;
    }

    /** Nobody waits any more. */
    void refuse() {
        Optional<T> unwanted;
        synchronized (this) {
            refused = true;
            unwanted = delivered;
            delivered = Optional.empty();
        }
        unwanted.ifPresent(giveBack);
    }
}

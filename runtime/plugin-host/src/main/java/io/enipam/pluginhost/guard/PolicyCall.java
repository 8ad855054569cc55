package io.enipam.pluginhost.guard;

import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A question that a policy is busy with, and who waits for the answer. */
final class PolicyCall<T> extends InFlightCall {
    private final Consumer<Optional<T>> then;
    private final @Nullable Thread waiter;
    private Optional<T> answer = Optional.empty();

    /** A question on the asker's own thread: if it is late, whoever claims it tells {@code then}. */
    static <T> PolicyCall<T> here(String question, long began, Thread thread, Consumer<Optional<T>> then) {
        return new PolicyCall<>(question, began, thread, null, then);
    }

    /** A question handed to a plugin thread: the asker waits for it, and claims it himself if it is late. */
    static <T> PolicyCall<T> handed(String question, long began, Thread waiter, Consumer<Optional<T>> then) {
        return new PolicyCall<>(question, began, null, waiter, then);
    }

    private PolicyCall(
            String question, long began, @Nullable Thread thread, @Nullable Thread waiter, Consumer<Optional<T>> then) {
        super(question, began, thread);
        this.waiter = waiter;
        this.then = then;
    }

    /** The thread that waits, of a question that was handed over. */
    @Nullable
    Thread waiter() {
        return waiter;
    }

    /** Keeps the answer for the waiter: set before {@link #finish()}, which publishes it. */
    void answer(Optional<T> answer) {
        this.answer = answer;
    }

    /** The answer, for a waiter who has seen the call done. */
    Optional<T> answer() {
        return answer;
    }

    void tell(Optional<T> outcome) {
        then.accept(outcome);
    }

    void tellNothing() {
        then.accept(Optional.empty());
    }
}

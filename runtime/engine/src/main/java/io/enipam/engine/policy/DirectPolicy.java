package io.enipam.engine.policy;

import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.PolicyPort;
import io.enipam.sdk.PoolPolicy;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Asks a policy on the caller's thread: for the built-in one, and for tests. Exceptions and invalid answers become
 * events; a policy that hangs would hang its caller. Thread-safe.
 */
public final class DirectPolicy implements PolicyPort {
    private final PoolPolicy policy;
    private final String name;
    private final EventSink events;

    public DirectPolicy(PoolPolicy policy, EventSink events) {
        this.policy = policy;
        this.name = policy.name();
        this.events = events;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean watermarks() {
        return policy instanceof WatermarkPolicy;
    }

    @Override
    public <T> void ask(String question, Function<PoolPolicy, T> call, Predicate<T> valid, Consumer<Optional<T>> then) {
        then.accept(answer(question, call, valid));
    }

    private <T> Optional<T> answer(String question, Function<PoolPolicy, T> call, Predicate<T> valid) {
        try {
            T answer = call.apply(policy);
            if (answer != null && valid.test(answer)) {
                return Optional.of(answer);
            }
            reject(question, "answered " + answer + ", which is outside what is allowed");
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            reject(question, "threw " + e);
        }
        return Optional.empty();
    }

    private void reject(String question, String why) {
        events.warning(
                "PolicyRejected",
                name,
                "policy " + name + " " + why + " to '" + question + "'; " + WatermarkPolicy.NAME + " answered instead");
    }
}

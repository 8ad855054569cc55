package io.enipam.engine.simulation.fuzz;

import io.enipam.engine.port.PolicyPort;
import io.enipam.engine.port.Scheduler;
import io.enipam.sdk.PoolPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Stands before a policy as a host does: answers come late, nonsense is dropped, and now and then it is down. */
record DelayedPolicy(PoolPolicy policy, Scheduler scheduler, Supplier<Duration> latency) implements PolicyPort {
    @Override
    public String name() {
        return policy.name();
    }

    @Override
    public boolean watermarks() {
        return latency.get().toMillis() % 10 == 0;
    }

    @Override
    public <T> void ask(String question, Function<PoolPolicy, T> call, Predicate<T> valid, Consumer<Optional<T>> then) {
        scheduler.after(latency.get(), () -> then.accept(answer(call, valid)));
    }

    private <T> Optional<T> answer(Function<PoolPolicy, T> call, Predicate<T> valid) {
        try {
            return Optional.ofNullable(call.apply(policy)).filter(valid);
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }
}

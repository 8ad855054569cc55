package io.enipam.engine.port;

import io.enipam.sdk.PoolPolicy;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The policy in force, as the engine asks it. An implementation stands between the engine and an untrusted policy:
 * where the policy throws, hangs or gives an invalid answer, there is none, and the engine uses its own rules.
 * Thread-safe. Never called under a lock.
 */
public interface PolicyPort {
    /** The policy's name; constant, and safe to ask under a lock. */
    String name();

    /**
     * Whether the engine shall use its own rules now and need not ask: for the built-in policy always, for another
     * one while it is down. Saves the engine building a snapshot. Cheap, and safe to ask under a lock.
     */
    boolean watermarks();

    /**
     * @param question the question's name, for events: {@code pick}
     * @param call puts the question; runs at most once
     * @param valid whether an answer is within what the SDK allows; runs beside the call
     * @param then receives the answer, or nothing if there is no valid one in time. Called exactly once: as a rule on
     *     the calling thread before this method returns, but on another thread if the policy is late, and then perhaps
     *     before it returns
     */
    <T> void ask(String question, Function<PoolPolicy, T> call, Predicate<T> valid, Consumer<Optional<T>> then);
}

package io.enipam.examples.resilient;

import io.enipam.sdk.Setting;
import java.time.Duration;
import java.util.List;

/** What may be written under {@code plugins.resilient-factory}. */
final class ResilientSettings {
    static final Setting<String> WRAPS = Setting.text("wraps", "a factory's name", "[a-z][a-z0-9-]{0,62}", "eni-ip")
            .doc("The factory that does the work.");

    static final Setting<Double> CREATES_PER_SECOND = Setting.decimal("creates_per_second", 0.01, 10_000, 10)
            .unit("creates a second")
            .doc("How many creates reach the wrapped factory in the long run.");

    static final Setting<Integer> BURST = Setting.wholeNumber("burst", 1, 10_000, 20)
            .unit("creates")
            .doc("How many creates may come at once after a quiet time.");

    static final Setting<Integer> FAILURE_RATE = Setting.wholeNumber("failure_rate", 1, 100, 50)
            .unit("percent")
            .doc("The share of failures among the last creates from which on the breaker is open.");

    static final Setting<Integer> WINDOW = Setting.wholeNumber("window", 1, 1_000, 20)
            .unit("creates")
            .doc("How many of the last creates the failure rate is of.");

    static final Setting<Integer> LEAST_CALLS = Setting.wholeNumber("least_calls", 1, 1_000, 10)
            .unit("creates")
            .doc("With fewer creates than these the breaker stays closed; a window that is smaller bounds it.");

    static final Setting<Duration> OPEN_FOR = Setting.duration(
                    "open_for", Duration.ofMillis(100), Duration.ofHours(1), Duration.ofSeconds(30))
            .doc("How long an open breaker refuses every create before it lets trials through.");

    static final Setting<Integer> TRIALS = Setting.wholeNumber("trials", 1, 100, 3)
            .unit("creates")
            .doc("How many creates are let through to find out whether the provider is well again.");

    static final Setting<Duration> LIST_MAX_AGE = Setting.duration(
                    "list_max_age", Duration.ZERO, Duration.ofSeconds(30), Duration.ofSeconds(1))
            .doc("For how long one answer of list serves all who ask, unless something is made or unmade meanwhile.");

    static final List<Setting<?>> ALL = List.of(
            WRAPS, CREATES_PER_SECOND, BURST, FAILURE_RATE, WINDOW, LEAST_CALLS, OPEN_FOR, TRIALS, LIST_MAX_AGE);

    private ResilientSettings() {}
}

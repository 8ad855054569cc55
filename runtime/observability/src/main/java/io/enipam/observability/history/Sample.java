package io.enipam.observability.history;

import java.time.Duration;
import java.time.Instant;

/**
 * An interval that is over: what was counted in it, and how things stood at its end.
 *
 * @param sequence from 1, one more for each sample
 * @param at the date at its end
 * @param atNanos its end by the clock that does not jump
 * @param interval how long it was, by that clock
 * @param add CNI ADD
 * @param del CNI DEL
 * @param commits commits of the database
 * @param process what the process takes; its {@code cpu} is of the interval
 */
public record Sample(
        long sequence,
        Instant at,
        long atNanos,
        Duration interval,
        PoolGauge pool,
        CallCount add,
        CallCount del,
        CloudCount cloud,
        CallCount commits,
        GcCount gc,
        ProcessGauge process) {}

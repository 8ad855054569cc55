package io.enipam.engine.port;

import java.util.random.RandomGenerator;

/**
 * What every part of the engine works with.
 *
 * @param random jitter and tokens come from it; used under the engine's locks only
 */
public record EngineContext(
        TimeSource time,
        Scheduler scheduler,
        RandomGenerator random,
        ResourceDb db,
        EventSink events,
        TraceSink traces) {
    public EngineContext(
            TimeSource time, Scheduler scheduler, RandomGenerator random, ResourceDb db, EventSink events) {
        this(time, scheduler, random, db, events, TraceSink.NONE);
    }
}

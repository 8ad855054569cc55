package io.enipam.aliyun.client;

import java.time.Duration;

/** How a call waits: for its turn, and before it is made again. */
public interface Sleeper {
    /** The caller's thread sleeps. */
    Sleeper SLEEP = duration -> Thread.sleep(duration.toMillis(), duration.toNanosPart() % 1_000_000);

    /** Returns when the time has passed. */
    void sleep(Duration duration) throws InterruptedException;
}

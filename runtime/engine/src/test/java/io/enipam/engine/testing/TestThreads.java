package io.enipam.engine.testing;

import io.enipam.engine.concurrent.DaemonThreads;
import java.util.concurrent.Executor;

/** Threads for tests, beside the JDK's common pool: that has one thread on two cores since JDK 25, and runs one task after another. */
public final class TestThreads {
    /** Runs each task on a daemon thread of its own, which ends with the task. */
    public static final Executor PER_TASK = DaemonThreads.each("test-task");

    private TestThreads() {}
}

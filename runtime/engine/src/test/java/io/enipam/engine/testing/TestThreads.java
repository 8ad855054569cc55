package io.enipam.engine.testing;

import java.util.concurrent.Executor;

/** Threads for tests, beside the JDK's common pool: that has one thread on two cores since JDK 25, and runs one task after another. */
public final class TestThreads {
    /** Runs each task on a daemon thread of its own, which ends with the task. */
    public static final Executor PER_TASK = task -> {
        Thread thread = new Thread(task, "test-task");
        thread.setDaemon(true);
        thread.start();
    };

    private TestThreads() {}
}

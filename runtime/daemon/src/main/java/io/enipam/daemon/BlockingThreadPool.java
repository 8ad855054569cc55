package io.enipam.daemon;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Threads for what loads classes or waits for somebody. They keep nobody from ending, and have this program's class loader,
 * whoever asks for the first work of each.
 */
final class BlockingThreadPool {
    private BlockingThreadPool() {}

    /**
     * @param most how many there are at a time
     * @param name of each of them
     */
    static ScheduledExecutorService open(int most, String name) {
        return Executors.newScheduledThreadPool(most, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            thread.setContextClassLoader(BlockingThreadPool.class.getClassLoader());
            return thread;
        });
    }
}

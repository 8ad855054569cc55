package io.enipam.datapath.iproute;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Kills processes that do not end in time. Thread-safe. */
final class Watchdog implements AutoCloseable {
    private final ScheduledThreadPoolExecutor clock;
    private final long limit;
    private final TimeUnit unit;

    Watchdog(long limit, TimeUnit unit) {
        this.limit = limit;
        this.unit = unit;
        this.clock = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "enipam-datapath-watchdog");
            thread.setDaemon(true);
            return thread;
        });
        clock.setRemoveOnCancelPolicy(true);
    }

    Watch watch(Process process) {
        return new Watch(process);
    }

    String limit() {
        return limit + " " + unit.name().toLowerCase(java.util.Locale.ROOT);
    }

    /** Kills a process and all it has started: a child that lives on would keep its output open. */
    static void kill(Process process) {
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }

    /** An eye on one process; closed when it has ended. */
    final class Watch implements AutoCloseable {
        private final Future<?> alarm;
        private volatile boolean bit;

        private Watch(Process process) {
            this.alarm = clock.schedule(
                    () -> {
                        bit = true;
                        kill(process);
                    },
                    limit,
                    unit);
        }

        /** Whether the process was killed. */
        boolean bit() {
            return bit;
        }

        @Override
        public void close() {
            alarm.cancel(false);
        }
    }
}

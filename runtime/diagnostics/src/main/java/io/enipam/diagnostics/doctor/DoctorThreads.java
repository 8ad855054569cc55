package io.enipam.diagnostics.doctor;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of the doctor, of which there is a bound of each sort, however much hangs. Those that have nothing to do
 * end. The sorts are apart, since a check waits for its facts: on common threads, checks would keep the threads that
 * their facts need.
 */
final class DoctorThreads implements AutoCloseable {
    /** Enough that checks which wait for a slow source leave threads for the others. */
    static final int CHECKS = 16;

    private static final Duration IDLE = Duration.ofSeconds(30);

    private final ExecutorService turns = pool("doctor-turn", 1);
    private final ThreadPoolExecutor checks = pool("doctor-check-", CHECKS);
    private final ExecutorService probes;

    /** @param probes how many there are; each is under way once at most, so none ever stands in line */
    DoctorThreads(int probes) {
        this.probes = pool("doctor-probe-", Math.max(1, probes));
    }

    private static ThreadPoolExecutor pool(String name, int most) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                most, most, IDLE.toSeconds(), TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, most == 1 ? name : name + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** What begins runs, one after the other. */
    ExecutorService turns() {
        return turns;
    }

    ThreadPoolExecutor checks() {
        return checks;
    }

    ExecutorService probes() {
        return probes;
    }

    @Override
    public void close() {
        turns.shutdownNow();
        checks.shutdownNow();
        probes.shutdownNow();
    }
}

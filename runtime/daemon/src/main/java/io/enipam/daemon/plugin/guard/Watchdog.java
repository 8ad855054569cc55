package io.enipam.daemon.plugin.guard;

import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after calls that are under way, in a fixed number of places: that is the bulkhead, too. It has a thread of its own,
 * since every other may be held up by the very code it watches; that thread sleeps while nothing is under way, and there is no
 * timer per call. Thread-safe.
 */
final class Watchdog {
    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
    private static final ScheduledExecutorService THREAD = thread();

    private final TimeSource time;
    private final long period;
    private final AtomicReferenceArray<WatchedCall> places;
    private final AtomicBoolean awake = new AtomicBoolean();

    /**
     * @param places how many calls may be under way at once
     * @param period how often to look; a late call is found at most this much later
     */
    Watchdog(TimeSource time, int places, Duration period) {
        this.time = time;
        this.places = new AtomicReferenceArray<>(places);
        this.period = period.toNanos();
    }

    private static ScheduledExecutorService thread() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "plugin-watchdog");
            thread.setDaemon(true);
            // whoever wakes it may be a plugin's thread, and this one outlives every plugin
            thread.setContextClassLoader(Watchdog.class.getClassLoader());
            return thread;
        });
        executor.setKeepAliveTime(30, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /**
     * Takes a place.
     *
     * @return its number, or -1 if all are taken
     */
    int enter(WatchedCall call) {
        int length = places.length();
        int first = (int) (call.thread().getId() % length);
        for (int i = 0; i < length; i++) {
            int place = first + i < length ? first + i : first + i - length;
            if (places.get(place) == null && places.compareAndSet(place, null, call)) {
                if (!awake.get()) {
                    wake();
                }
                return place;
            }
        }
        return -1;
    }

    void leave(int place) {
        places.set(place, null);
    }

    private void wake() {
        if (awake.compareAndSet(false, true)) {
            THREAD.schedule(this::look, period, TimeUnit.NANOSECONDS);
        }
    }

    /** Whoever is told of a late call may fail at it; the other calls are watched all the same. */
    private static boolean claimed(WatchedCall call, long now) {
        try {
            return call.claimIfLate(now);
        } catch (RuntimeException | Error e) {
            LOG.error("nobody could be told that '{}' is late; this is a bug of enipam", call.what(), e);
            return true;
        }
    }

    private void look() {
        boolean busy = false;
        long now = time.nanoTime();
        for (int i = 0; i < places.length(); i++) {
            WatchedCall call = places.get(i);
            if (call != null && call.running()) {
                busy |= !claimed(call, now);
            }
        }
        if (busy) {
            THREAD.schedule(this::look, period, TimeUnit.NANOSECONDS);
            return;
        }
        awake.set(false);
        // a call that entered after its place was looked at found the watchdog awake
        for (int i = 0; i < places.length(); i++) {
            WatchedCall call = places.get(i);
            if (call != null && call.running()) {
                wake();
                return;
            }
        }
    }
}

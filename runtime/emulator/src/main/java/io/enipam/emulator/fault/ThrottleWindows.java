package io.enipam.emulator.fault;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * The flow control of the account: for each API a number of calls in each minute of the clock. The windows are fixed: an
 * API that is exhausted at the first second of a minute stays refused until the next minute begins. Refused calls count
 * for nothing. Thread-safe.
 */
public final class ThrottleWindows {
    private static final long MINUTE = 60;

    private record Window(long minute, int admitted, boolean closed) {}

    private final Map<String, Window> windows = new HashMap<>();
    private ThrottleLimits limits;

    /** Windows of these limits, all fresh. */
    public ThrottleWindows(ThrottleLimits limits) {
        this.limits = limits;
    }

    /** Whether a call is let through; if so, it counts. */
    public synchronized boolean admits(String api, Instant now) {
        Window window = windowOf(api, now);
        boolean admitted = !window.closed()
                && (limits.of(api).isEmpty()
                        || window.admitted() < limits.of(api).getAsInt());
        if (admitted) {
            windows.put(api, new Window(window.minute(), window.admitted() + 1, false));
        }
        return admitted;
    }

    /** Refuses all calls of an API until the next minute. */
    public synchronized void close(String api, Instant now) {
        Window window = windowOf(api, now);
        windows.put(api, new Window(window.minute(), window.admitted(), true));
    }

    /** The limits in force. */
    public synchronized ThrottleLimits limits() {
        return limits;
    }

    /** Puts other limits in force; what was admitted this minute stays counted. */
    public synchronized void limit(ThrottleLimits newLimits) {
        limits = newLimits;
    }

    /** Opens the windows that a caller or a rule closed; those that are full stay full. */
    public synchronized void reopen() {
        windows.replaceAll((api, window) -> new Window(window.minute(), window.admitted(), false));
    }

    private Window windowOf(String api, Instant now) {
        long minute = Math.floorDiv(now.getEpochSecond(), MINUTE);
        Window window = windows.get(api);
        return window == null || window.minute() != minute ? new Window(minute, 0, false) : window;
    }
}

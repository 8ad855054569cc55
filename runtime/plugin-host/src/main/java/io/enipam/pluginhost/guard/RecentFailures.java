package io.enipam.pluginhost.guard;

import io.enipam.engine.port.TimeSource;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The last failed calls of a plugin, as text alone: nothing of the plugin is kept. Thread-safe. */
public final class RecentFailures {
    static final int MOST = 10;

    private final TimeSource time;
    private final ArrayDeque<PluginFailure> last = new ArrayDeque<>();

    RecentFailures(TimeSource time) {
        this.time = time;
    }

    /** @param part what failed: {@code factory cidr} */
    synchronized void add(String part, String cause, List<String> stack) {
        if (last.size() == MOST) {
            last.removeLast();
        }
        last.addFirst(new PluginFailure(time.now(), PluginText.line(part + ": " + cause), stack));
    }

    /** The newest first. */
    synchronized List<PluginFailure> all() {
        return List.copyOf(last);
    }

    /**
     * One failed call.
     *
     * @param cause what failed and how, one line
     * @param stack of what was thrown, a line each; empty if nothing was thrown
     */
    public record PluginFailure(Instant at, String cause, List<String> stack) {
        private static final int MOST_FRAMES = 40;
        private static final int DEEPEST_CAUSE = 5;

        /** The stack of what a plugin threw. Runs the plugin's code, which may throw again. */
        static List<String> stackOf(Throwable thrown) {
            List<String> lines = new ArrayList<>();
            try {
                Throwable at = thrown;
                for (int depth = 0; at != null && depth < DEEPEST_CAUSE; depth++) {
                    lines.add((depth == 0 ? "" : "caused by ") + PluginText.of(at));
                    for (StackTraceElement frame : at.getStackTrace()) {
                        if (lines.size() == MOST_FRAMES) {
                            return List.copyOf(lines);
                        }
                        lines.add(PluginText.line("    at " + frame));
                    }
                    at = at.getCause();
                }
            } catch (Throwable again) {
                lines.add("the rest cannot be read: " + again.getClass().getName());
            }
            return List.copyOf(lines);
        }
    }
}

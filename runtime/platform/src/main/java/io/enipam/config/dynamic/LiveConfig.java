package io.enipam.config.dynamic;

import io.enipam.config.DaemonConfig;
import io.enipam.engine.port.EventSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The configuration in force. Each is sealed; a change puts another one in its place, of which whoever looks sees all or nothing, and
 * then tells who follows it, one after the other. Thread-safe.
 */
public final class LiveConfig {
    private final EventSink events;
    private volatile DaemonConfig now;
    private volatile List<String> complaints = List.of();

    private final List<Supplier<List<String>>> others = new CopyOnWriteArrayList<>();

    /** Told with the lock held, one change after the other; looked at without it, since one that is told may block. */
    private final List<Follower> followers = new CopyOnWriteArrayList<>();

    /** Who goes by the configuration, and why it does not go by the present one. */
    private static final class Follower {
        private final String what;
        private final Consumer<DaemonConfig> way;
        private volatile Optional<String> trouble = Optional.empty();

        Follower(String what, Consumer<DaemonConfig> way) {
            this.what = what;
            this.way = way;
        }
    }

    /** @param start what is in force from the start on */
    public LiveConfig(DaemonConfig start, EventSink events) {
        this.now = start;
        this.events = events;
    }

    /** What is in force. Who needs more than one value takes them from one answer. */
    public DaemonConfig now() {
        return now;
    }

    /**
     * Goes by every change from now on.
     *
     * @param what it is, for people: {@code the vSwitches}
     * @param way told what is in force; it may block for some seconds. Who throws goes on by what was in force before, and is told
     *     again with the next look
     */
    public void follow(String what, Consumer<DaemonConfig> way) {
        followers.add(new Follower(what, way));
    }

    /** @param lines what else of the configuration wants somebody to do something */
    public void addConditions(Supplier<List<String>> lines) {
        others.add(lines);
    }

    /** Puts in force what can be had of the next without a restart; the rest waits for one. */
    synchronized void apply(DaemonConfig next) {
        DaemonConfig before = now;
        now = before.applyLiveChanges(next);
        now.warnings().stream()
                .filter(warning -> !before.warnings().contains(warning))
                .forEach(warning -> events.warning("ConfigAdjusted", "config", warning));
        followers.forEach(this::tell);
    }

    /** Tells those again who could not go by it. */
    synchronized void retryFollowers() {
        followers.stream().filter(follower -> follower.trouble.isPresent()).forEach(this::tell);
    }

    private void tell(Follower follower) {
        Optional<String> before = follower.trouble;
        try {
            follower.way.accept(now);
            follower.trouble = Optional.empty();
            if (before.isPresent()) {
                events.info("ConfigApplied", "config", follower.what + " are as configured");
            }
        } catch (RuntimeException e) {
            follower.trouble = Optional.of(follower.what + " are as before: " + e.getMessage());
            if (!follower.trouble.equals(before)) {
                events.warning("ConfigNotApplied", "config", follower.trouble.get());
            }
        }
    }

    /** @param lines what is wrong with what the cluster says, until it is told otherwise */
    void setProblems(List<String> lines) {
        complaints = List.copyOf(lines);
    }

    /** What is wrong with the way the configuration is had, one line each. Returns at once. */
    public List<String> troubles() {
        Stream<String> unmet = followers.stream().flatMap(follower -> follower.trouble.stream());
        return Stream.of(complaints.stream(), unmet, others.stream().flatMap(lines -> lines.get().stream()))
                .flatMap(lines -> lines)
                .toList();
    }

    /** What wants somebody to do something, one line each: {@link #troubles}, and what waits for a restart. */
    public List<String> conditions() {
        List<String> lines = new ArrayList<>(troubles());
        List<DaemonConfig.Pending> pendings = now.pending();
        String waiting = pendings.stream()
                .map(pending -> pending.key() + "=" + (pending.value().isEmpty() ? "''" : pending.value()))
                .collect(Collectors.joining(", "));
        if (!waiting.isEmpty()) {
            lines.add("a restart of the daemon is wanted for " + waiting + " ("
                    + pendings.get(0).source() + ")");
        }
        return lines;
    }
}

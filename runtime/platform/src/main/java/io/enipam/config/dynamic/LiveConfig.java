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

/** The configuration in force: a change replaces it as a whole, and then notifies the listeners in order. Thread-safe. */
public final class LiveConfig {
    private final EventSink events;
    private volatile DaemonConfig now;
    private volatile List<String> complaints = List.of();

    private final List<Supplier<List<String>>> others = new CopyOnWriteArrayList<>();

    /** Changed and notified under the lock; read without it, since a listener may block. */
    private final List<Follower> followers = new CopyOnWriteArrayList<>();

    /** A listener, and why it does not use the present configuration. */
    private static final class Follower {
        private final String what;
        private final Consumer<DaemonConfig> way;
        private volatile Optional<String> trouble = Optional.empty();

        Follower(String what, Consumer<DaemonConfig> way) {
            this.what = what;
            this.way = way;
        }
    }

    public LiveConfig(DaemonConfig start, EventSink events) {
        this.now = start;
        this.events = events;
    }

    /** The configuration in force. A caller that needs several consistent values reads them from one result. */
    public DaemonConfig now() {
        return now;
    }

    /**
     * Registers a listener for every further change.
     *
     * @param what name for messages: {@code the vSwitches}
     * @param way gets the configuration in force; it may block for some seconds. If it throws, it keeps the former
     *     configuration, and is called again with the next check
     */
    public void follow(String what, Consumer<DaemonConfig> way) {
        followers.add(new Follower(what, way));
    }

    /** @param lines further problems of the configuration that need an action */
    public void addConditions(Supplier<List<String>> lines) {
        others.add(lines);
    }

    /** Applies what needs no restart; the rest is pending. */
    synchronized void apply(DaemonConfig next) {
        DaemonConfig before = now;
        now = before.applyLiveChanges(next);
        now.warnings().stream()
                .filter(warning -> !before.warnings().contains(warning))
                .forEach(warning -> events.warning("ConfigAdjusted", "config", warning));
        followers.forEach(this::tell);
    }

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

    /** @param lines problems of the cluster's values, until the next call */
    void setProblems(List<String> lines) {
        complaints = List.copyOf(lines);
    }

    /** Problems of reading or applying the configuration, one line each. Returns at once. */
    public List<String> troubles() {
        Stream<String> unmet = followers.stream().flatMap(follower -> follower.trouble.stream());
        return Stream.of(complaints.stream(), unmet, others.stream().flatMap(lines -> lines.get().stream()))
                .flatMap(lines -> lines)
                .toList();
    }

    /** What needs an action, one line each: {@link #troubles}, and changes that need a restart. */
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

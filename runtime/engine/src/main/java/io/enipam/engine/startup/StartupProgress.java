package io.enipam.engine.startup;

import io.enipam.engine.port.TimeSource;
import io.enipam.engine.startup.StartupProgress.StartupStep;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Which step the start-up is at, and for how long. Thread-safe; {@code this} guards all fields. */
public final class StartupProgress {
    private final TimeSource time;
    private final Map<StartupStep, StepTiming> timings = new EnumMap<>(StartupStep.class);

    public StartupProgress(TimeSource time) {
        this.time = time;
    }

    synchronized void begin(StartupStep step) {
        timings.put(step, new StepTiming(StepReport.State.RUNNING, time.now(), time.nanoTime(), 0, ""));
    }

    synchronized void update(StartupStep step, String detail) {
        timings.computeIfPresent(step, (s, timing) -> timing.saying(detail));
    }

    synchronized void done(StartupStep step, String detail) {
        timings.computeIfPresent(step, (s, timing) -> timing.ended(StepReport.State.DONE, time.nanoTime(), detail));
    }

    /** Whatever is under way will not end. */
    synchronized void halt(String why) {
        timings.replaceAll((step, timing) -> timing.state == StepReport.State.RUNNING
                ? timing.ended(StepReport.State.HALTED, time.nanoTime(), why)
                : timing);
    }

    /** What is under way, for an operator; empty text if nothing is. */
    public synchronized String text() {
        return reports().stream()
                .filter(step -> step.state() == StepReport.State.RUNNING || step.state() == StepReport.State.HALTED)
                .map(report -> report.step().label() + (report.detail().isEmpty() ? "" : ": " + report.detail()))
                .findFirst()
                .orElse("");
    }

    /** All steps, in their order. */
    public synchronized List<StepReport> reports() {
        return Stream.of(StartupStep.values()).map(this::report).toList();
    }

    private StepReport report(StartupStep step) {
        StepTiming timing = timings.get(step);
        if (timing == null) {
            return new StepReport(step, StepReport.State.WAITING, Optional.empty(), Duration.ZERO, "");
        }
        long end = timing.state == StepReport.State.RUNNING ? time.nanoTime() : timing.endNanos;
        return new StepReport(
                step,
                timing.state,
                Optional.of(timing.since),
                Duration.ofNanos(end - timing.sinceNanos),
                timing.detail);
    }

    private record StepTiming(StepReport.State state, Instant since, long sinceNanos, long endNanos, String detail) {
        StepTiming saying(String what) {
            return new StepTiming(state, since, sinceNanos, endNanos, what);
        }

        StepTiming ended(StepReport.State how, long nanos, String what) {
            return new StepTiming(how, since, sinceNanos, nanos, what);
        }
    }

    /** The steps of the start-up, in their order; {@link Startup} says what each of them does. */
    public enum StartupStep {
        /** The leases and holds of the database come back. */
        OPEN("open the database"),
        /** What was begun and not ended is found, to be finished or undone. */
        OPERATIONS("finish or undo pending operations"),
        /** The active factory says what there is. */
        CLOUD("list the cloud"),
        /** The kernel says which sandboxes are connected. */
        KERNEL("list the kernel"),
        /** The API server says which pods run here. */
        PODS("list the pods"),
        /** The sources are compared, and what follows is on disk. */
        POOL("build the pool"),
        /** ADD is answered from here on. */
        SERVE("serve");

        private final String label;

        StartupStep(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    /** @param detail what it waits for, or what came of it; may be empty text */
    public record StepReport(StartupStep step, State state, Optional<Instant> since, Duration took, String detail) {
        public enum State {
            WAITING,
            RUNNING,
            DONE,
            /** It will never end by itself: an operator has to repair something and restart the daemon. */
            HALTED
        }
    }
}

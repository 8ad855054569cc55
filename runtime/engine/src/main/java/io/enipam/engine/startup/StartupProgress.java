package io.enipam.engine.startup;

import io.enipam.engine.port.TimeSource;
import io.enipam.engine.startup.StepReport.State;
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
    private final Map<StartupStep, StepTiming> courses = new EnumMap<>(StartupStep.class);

    public StartupProgress(TimeSource time) {
        this.time = time;
    }

    synchronized void begin(StartupStep step, String detail) {
        courses.put(step, new StepTiming(State.RUNNING, time.now(), time.nanoTime(), 0, detail));
    }

    synchronized void update(StartupStep step, String detail) {
        courses.computeIfPresent(step, (s, course) -> course.saying(detail));
    }

    synchronized void done(StartupStep step, String detail) {
        courses.computeIfPresent(step, (s, course) -> course.ended(State.DONE, time.nanoTime(), detail));
    }

    /** Whatever is under way will not end. */
    synchronized void halt(String why) {
        courses.replaceAll((step, course) ->
                course.state == State.RUNNING ? course.ended(State.HALTED, time.nanoTime(), why) : course);
    }

    /** What is under way, in words; empty text if nothing is. */
    public synchronized String text() {
        return courses.entrySet().stream()
                .filter(entry -> entry.getValue().state != State.DONE)
                .map(entry -> entry.getKey().label()
                        + (entry.getValue().detail.isEmpty() ? "" : ": " + entry.getValue().detail))
                .findFirst()
                .orElse("");
    }

    /** All steps, in their order. */
    public synchronized List<StepReport> reports() {
        return Stream.of(StartupStep.values()).map(this::report).toList();
    }

    private StepReport report(StartupStep step) {
        StepTiming course = courses.get(step);
        if (course == null) {
            return new StepReport(step, State.WAITING, Optional.empty(), Duration.ZERO, "");
        }
        long end = course.state == State.RUNNING ? time.nanoTime() : course.endNanos;
        return new StepReport(
                step,
                course.state,
                Optional.of(course.since),
                Duration.ofNanos(end - course.sinceNanos),
                course.detail);
    }

    private record StepTiming(State state, Instant since, long sinceNanos, long endNanos, String detail) {
        StepTiming saying(String words) {
            return new StepTiming(state, since, sinceNanos, endNanos, words);
        }

        StepTiming ended(State how, long nanos, String words) {
            return new StepTiming(how, since, sinceNanos, nanos, words);
        }
    }
}

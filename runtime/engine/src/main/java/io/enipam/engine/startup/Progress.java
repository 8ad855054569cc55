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
public final class Progress {
    private final TimeSource time;
    private final Map<Step, Course> courses = new EnumMap<>(Step.class);

    public Progress(TimeSource time) {
        this.time = time;
    }

    synchronized void begin(Step step, String detail) {
        courses.put(step, new Course(State.RUNNING, time.now(), time.nanoTime(), 0, detail));
    }

    synchronized void say(Step step, String detail) {
        courses.computeIfPresent(step, (s, course) -> course.saying(detail));
    }

    synchronized void done(Step step, String detail) {
        courses.computeIfPresent(step, (s, course) -> course.ended(State.DONE, time.nanoTime(), detail));
    }

    /** Whatever is under way will not end. */
    synchronized void halt(String why) {
        courses.replaceAll((step, course) ->
                course.state == State.RUNNING ? course.ended(State.HALTED, time.nanoTime(), why) : course);
    }

    /** What is under way, in words; empty text if nothing is. */
    public synchronized String words() {
        return courses.entrySet().stream()
                .filter(entry -> entry.getValue().state != State.DONE)
                .map(entry -> entry.getKey().words()
                        + (entry.getValue().detail.isEmpty() ? "" : ": " + entry.getValue().detail))
                .findFirst()
                .orElse("");
    }

    /** All steps, in their order. */
    public synchronized List<StepReport> reports() {
        return Stream.of(Step.values()).map(this::report).toList();
    }

    private StepReport report(Step step) {
        Course course = courses.get(step);
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

    private record Course(State state, Instant since, long sinceNanos, long endNanos, String detail) {
        Course saying(String words) {
            return new Course(state, since, sinceNanos, endNanos, words);
        }

        Course ended(State how, long nanos, String words) {
            return new Course(how, since, sinceNanos, nanos, words);
        }
    }
}

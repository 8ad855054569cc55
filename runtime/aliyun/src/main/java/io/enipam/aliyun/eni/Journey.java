package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.CloudEniStatus;
import java.time.Duration;
import java.util.Optional;

/** An ENI's way to the instance or out of the cloud: what was asked, when, and what has been seen since. Guarded by the fleet's lock. */
final class Journey {
    private Course.Goal goal;
    private Optional<Course.Step> asked = Optional.empty();
    private Optional<Course.Step> latest = Optional.empty();
    private long askedNanos;
    private long startedNanos;
    private boolean moved;
    private boolean doubtful;
    /** Whether a description has shown the ENI. */
    private boolean shown;
    /** Whether the answer to a call was that the cloud has no such ENI. */
    private boolean notFound;

    private int looks;
    /** Whether somebody looks after it: begun, and not yet arrived. */
    boolean underWay;
    /** Whether it counts among the ENI operations of which only a few run at once. */
    boolean counted;

    Journey(Course.Goal goal) {
        this.goal = goal;
    }

    Course.Goal goal() {
        return goal;
    }

    /** Begins, and counts among the operations. */
    void begin(long nanos) {
        underWay = true;
        counted = true;
        startedNanos = nanos;
    }

    /** A description has shown the ENI, now or on an earlier way. */
    Journey known() {
        shown = true;
        return this;
    }

    /** Turns to another goal, forgetting what was asked. */
    void turn(Course.Goal next, long nanos) {
        goal = next;
        asked = Optional.empty();
        latest = Optional.empty();
        moved = false;
        looks = 0;
        startedNanos = nanos;
    }

    void ask(Course.Step step, long nanos) {
        asked = Optional.of(step);
        latest = asked;
        askedNanos = nanos;
        moved = false;
        doubtful = false;
        looks = 0;
    }

    /** Whether this would be another step than the last one asked: then the cloud has moved since. */
    boolean movesOnWith(Course.Step step) {
        return latest.isPresent() && !latest.equals(Optional.of(step));
    }

    /** Counts the time it takes from now. */
    void restart(long nanos) {
        startedNanos = nanos;
    }

    /** Takes back what was asked: the cloud refused it, and it may be asked again. */
    void refused() {
        asked = Optional.empty();
    }

    /** What was asked may not have been heard. */
    void doubt() {
        doubtful = true;
    }

    /** Whether what was asked may not have been heard, and nothing has been seen since. */
    boolean doubtful() {
        return doubtful;
    }

    /** The answer to a call was that the cloud has no such ENI. */
    void notFound() {
        notFound = true;
    }

    /** Whether a description has shown the ENI. */
    boolean shown() {
        return shown;
    }

    void saw(Optional<CloudEniStatus> status) {
        doubtful = false;
        moved |= status.filter(s -> s == CloudEniStatus.ATTACHING).isPresent();
    }

    void arrive() {
        underWay = false;
        counted = false;
    }

    int nextLook() {
        return looks++;
    }

    /** Whether it began so lately that the cloud may not show yet what began it. */
    boolean begunLately(long nanos, Lag lag) {
        return nanos - startedNanos < lag.settled().toNanos();
    }

    boolean stuck(long nanos, Lag lag) {
        return nanos - startedNanos >= Pace.STUCK.plus(behind(lag)).toNanos();
    }

    Course.Progress progress(long nanos, Lag lag) {
        boolean delete = asked.equals(Optional.of(Course.Step.DELETE));
        // a delete may be asked again at any time: its answer is the cloud's own word
        Duration patience = delete ? Pace.OVERDUE : Pace.OVERDUE.plus(behind(lag));
        boolean overdue = nanos - askedNanos >= patience.toNanos();
        boolean deleted = notFound || (shown && delete);
        return new Course.Progress(asked, moved, asked.isPresent() && overdue, stuck(nanos, lag), deleted);
    }

    /** How far what is seen may be behind. An ENI that was never shown is the sign of a lag that may be any. */
    private Duration behind(Lag lag) {
        return shown ? lag.measured() : Lag.MOST;
    }
}

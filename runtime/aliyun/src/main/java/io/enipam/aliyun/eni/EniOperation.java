package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.eni.PollSchedule.DescriptionLag;
import java.time.Duration;
import java.util.Optional;

/**
 * An ENI's way to the instance or out of the cloud: what was asked, when, and what has been seen since. Guarded by the
 * fleet's lock.
 */
final class EniOperation {
    private EniTransitions.Goal goal;
    private Optional<EniTransitions.Step> asked = Optional.empty();
    private Optional<EniTransitions.Step> latest = Optional.empty();
    private long askedNanos;
    private long startedNanos;
    private boolean moved;
    private boolean doubtful;
    /** Whether a description has shown the ENI. */
    private boolean shown;
    /** Whether the answer to a call was that the cloud has no such ENI. */
    private boolean notFound;

    private int looks;
    /** Whether it is driven: begun, and not yet arrived. */
    boolean underWay;
    /** Whether it counts among the ENI operations of which only a few run at once. */
    boolean counted;

    EniOperation(EniTransitions.Goal goal) {
        this.goal = goal;
    }

    EniTransitions.Goal goal() {
        return goal;
    }

    /** Begins, and counts among the operations. */
    void begin(long nanos) {
        underWay = true;
        counted = true;
        startedNanos = nanos;
    }

    /** A description has shown the ENI, now or on an earlier way. */
    EniOperation markShown() {
        shown = true;
        return this;
    }

    /** Turns to another goal, forgetting what was asked. */
    void redirect(EniTransitions.Goal next, long nanos) {
        goal = next;
        asked = Optional.empty();
        latest = Optional.empty();
        moved = false;
        looks = 0;
        startedNanos = nanos;
    }

    void recordRequest(EniTransitions.Step step, long nanos) {
        asked = Optional.of(step);
        latest = asked;
        askedNanos = nanos;
        moved = false;
        doubtful = false;
        looks = 0;
    }

    /** Whether this would be another step than the last one asked: then the cloud has moved since. */
    boolean isNewStep(EniTransitions.Step step) {
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

    /** The cloud may not have received the call. */
    void doubt() {
        doubtful = true;
    }

    /** Whether the cloud may not have received the call, and nothing has been seen since. */
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

    void observe(Optional<CloudEniStatus> status) {
        doubtful = false;
        moved |= status.filter(s -> s == CloudEniStatus.ATTACHING).isPresent();
    }

    void complete() {
        underWay = false;
        counted = false;
    }

    int nextPollIndex() {
        return looks++;
    }

    /** Whether it began so lately that the cloud may not show yet what began it. */
    boolean startedRecently(long nanos, DescriptionLag lag) {
        return nanos - startedNanos < lag.settled().toNanos();
    }

    boolean stuck(long nanos, DescriptionLag lag) {
        return nanos - startedNanos >= PollSchedule.STUCK.plus(behind(lag)).toNanos();
    }

    EniTransitions.Progress progress(long nanos, DescriptionLag lag) {
        boolean delete = asked.equals(Optional.of(EniTransitions.Step.DELETE));
        // a delete may be asked again at any time: its answer is the cloud's own word
        Duration patience = delete ? PollSchedule.OVERDUE : PollSchedule.OVERDUE.plus(behind(lag));
        boolean overdue = nanos - askedNanos >= patience.toNanos();
        boolean deleted = notFound || (shown && delete);
        return new EniTransitions.Progress(asked, moved, asked.isPresent() && overdue, stuck(nanos, lag), deleted);
    }

    /** How far what is seen may be behind. An ENI that was never shown is the sign of a lag that may be any. */
    private Duration behind(DescriptionLag lag) {
        return shown ? lag.measured() : DescriptionLag.MOST;
    }
}

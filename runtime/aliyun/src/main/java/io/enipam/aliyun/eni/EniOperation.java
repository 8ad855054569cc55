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
    private Goal goal;
    private Optional<Step> asked = Optional.empty();
    private Optional<Step> latest = Optional.empty();
    private long askedNanos;
    private long startedNanos;
    private boolean moved;
    /** Whether the cloud may not have received the last call, and nothing has been seen since. */
    boolean doubtful;
    /** Whether a description has shown the ENI. */
    boolean shown;
    /** Whether the answer to a call was that the cloud has no such ENI. */
    boolean notFound;

    private int looks;
    /** Whether it is driven: begun, and not yet arrived. */
    boolean underWay;
    /** Whether it counts among the ENI operations of which only a few run at once. */
    boolean counted;

    EniOperation(Goal goal) {
        this.goal = goal;
    }

    Goal goal() {
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
    void redirect(Goal next, long nanos) {
        goal = next;
        asked = Optional.empty();
        latest = Optional.empty();
        moved = false;
        looks = 0;
        startedNanos = nanos;
    }

    void recordRequest(Step step, long nanos) {
        asked = Optional.of(step);
        latest = asked;
        askedNanos = nanos;
        moved = false;
        doubtful = false;
        looks = 0;
    }

    /** Whether this would be another step than the last one asked: then the cloud has moved since. */
    boolean isNewStep(Step step) {
        return latest.isPresent() && !latest.equals(Optional.of(step));
    }

    void restart(long nanos) {
        startedNanos = nanos;
    }

    /** Takes back what was asked: the cloud refused it, and it may be asked again. */
    void refused() {
        asked = Optional.empty();
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

    Progress progress(long nanos, DescriptionLag lag) {
        boolean delete = asked.equals(Optional.of(Step.DELETE));
        // a delete may be asked again at any time: its answer is the cloud's own word
        Duration patience = delete ? PollSchedule.OVERDUE : PollSchedule.OVERDUE.plus(behind(lag));
        boolean overdue = nanos - askedNanos >= patience.toNanos();
        boolean deleted = notFound || (shown && delete);
        return new Progress(asked, moved, asked.isPresent() && overdue, stuck(nanos, lag), deleted);
    }

    /** How far what is seen may be behind. An ENI that was never shown is the sign of a lag that may be any. */
    private Duration behind(DescriptionLag lag) {
        return shown ? lag.measured() : DescriptionLag.MOST;
    }

    enum Goal {
        ATTACHED,
        /** Back on the instance, from which another actor has taken it. */
        REATTACHED,
        ABSENT
    }

    enum Step {
        ATTACH,
        DETACH,
        DELETE,
        /** Look again later. */
        WAIT,
        ARRIVED,
        FAILED
    }

    /**
     * What is known besides the status.
     *
     * @param asked the last thing asked of the cloud, if any
     * @param moved whether the cloud has shown a change since then
     * @param overdue whether it was asked so long ago that it may be asked again
     * @param stuck whether the whole way takes too long
     * @param deleted whether the cloud has confirmed the deletion: by the answer to a call, or by showing the ENI
     *     before it accepted the delete and not showing it after
     */
    record Progress(Optional<Step> asked, boolean moved, boolean overdue, boolean stuck, boolean deleted) {
        boolean pending(Step step) {
            return asked.equals(Optional.of(step)) && !overdue;
        }
    }

    /**
     * What to do next, decided from the ENI's state and not from what was done before: so the same table serves a fresh
     * ENI, a lost answer, and what a crash has left behind. Pure.
     *
     * @param seen the cloud's status; empty if the cloud has no such ENI
     */
    static Step next(Goal goal, Optional<CloudEniStatus> seen, Progress progress) {
        return switch (goal) {
            case ATTACHED -> towardsInstance(seen, progress);
            case REATTACHED -> backToInstance(seen, progress);
            case ABSENT -> towardsAbsence(seen, progress);
        };
    }

    /**
     * What another actor has begun with the ENI is waited for. That an ENI is gone, the attach itself says for certain.
     */
    private static Step backToInstance(Optional<CloudEniStatus> seen, Progress progress) {
        if (seen.isEmpty()) {
            return progress.pending(Step.ATTACH) ? Step.WAIT : Step.ATTACH;
        }
        return switch (seen.get()) {
            case IN_USE -> Step.ARRIVED;
            case ATTACHING, OTHER, DETACHING, DELETING -> Step.WAIT;
            case AVAILABLE -> available(progress);
        };
    }

    private static Step towardsInstance(Optional<CloudEniStatus> seen, Progress progress) {
        if (seen.isEmpty()) {
            // A list read right after a create may lag behind it.
            return progress.overdue() || progress.moved() ? Step.FAILED : Step.WAIT;
        }
        return switch (seen.get()) {
            case IN_USE -> Step.ARRIVED;
            case ATTACHING, OTHER -> Step.WAIT;
            case DETACHING, DELETING -> Step.FAILED;
            case AVAILABLE -> available(progress);
        };
    }

    /** Available after Attaching means that the cloud has failed; before, that it has not begun. */
    private static Step available(Progress progress) {
        if (progress.stuck() || (progress.asked().isPresent() && (progress.moved() || progress.overdue()))) {
            return Step.FAILED;
        }
        return progress.asked().isPresent() ? Step.WAIT : Step.ATTACH;
    }

    private static Step towardsAbsence(Optional<CloudEniStatus> seen, Progress progress) {
        if (seen.isEmpty()) {
            // a description may lag behind the create: the delete itself says whether the ENI is gone
            return progress.deleted() ? Step.ARRIVED : progress.pending(Step.DELETE) ? Step.WAIT : Step.DELETE;
        }
        return switch (seen.get()) {
            case IN_USE -> progress.pending(Step.DETACH) ? Step.WAIT : Step.DETACH;
            case AVAILABLE -> progress.pending(Step.DELETE) ? Step.WAIT : Step.DELETE;
            case DETACHING -> progress.stuck() && !progress.pending(Step.DETACH) ? Step.DETACH : Step.WAIT;
            case DELETING -> progress.stuck() && !progress.pending(Step.DELETE) ? Step.DELETE : Step.WAIT;
            case ATTACHING, OTHER -> Step.WAIT;
        };
    }
}

package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import java.util.Optional;

/**
 * What to do next about an ENI that is on its way, decided from its state and not from what was done before: so the
 * same table serves a fresh ENI, a lost answer, and what a crash has left behind. Pure.
 */
final class EniTransitions {
    /** Where the ENI shall go. */
    enum Goal {
        ATTACHED,
        /** Back on the instance, from which another actor has taken it. */
        REATTACHED,
        ABSENT
    }

    /** What to do next. */
    enum Step {
        ATTACH,
        DETACH,
        DELETE,
        /** Look again later. */
        WAIT,
        /** The goal is reached. */
        ARRIVED,
        /** The goal cannot be reached. */
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

    private EniTransitions() {}

    /** @param seen the cloud's status; empty if the cloud has no such ENI */
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

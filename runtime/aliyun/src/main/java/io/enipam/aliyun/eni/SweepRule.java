package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.engine.port.EniSweeper.Candidate;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Which ENIs of this node are old enough and idle enough to be deleted, whether the daemon or a plugin made them. An ENI whose create has not
 * been answered yet looks exactly like one that was left behind; its age distinguishes them.
 *
 * <p><b>Whose clock.</b> The age is the cloud's own time, from the {@code Date} of its answers, less the cloud's own
 * {@code CreationTime}; this node's clock has no part in it. If the answers have no date, this node's clock has to do. It cannot be
 * wrong by more than {@link #LARGEST_SKEW}, since the cloud refuses calls signed with such a clock, and so that much is added to the
 * age that is asked for.
 */
public final class SweepRule {
    /** How old an ENI has to be, as peers have it. */
    public static final Duration MINIMUM_AGE = Duration.ofMinutes(10);

    /** How far a clock may be off before the cloud refuses what it signs. */
    static final Duration LARGEST_SKEW = Duration.ofMinutes(15);

    /** When the first sweep is due after the start, how often one follows, and how soon after one that failed. */
    public static final Duration FIRST = Duration.ofMinutes(2);

    public static final Duration EVERY = Duration.ofHours(1);
    public static final Duration AFTER_FAILURE = Duration.ofMinutes(10);

    private SweepRule() {}

    /** Empty if the cloud does not say when it was made. */
    public static Optional<Duration> age(NetworkInterface eni, Instant now) {
        return eni.createdAt().map(made -> Duration.between(made, now));
    }

    /**
     * Why it stays, for operators; empty if it may go.
     *
     * @param cloudTime whether the age is by the cloud's clock
     */
    public static Optional<String> reasonToKeep(NetworkInterface eni, Optional<Duration> age, boolean cloudTime) {
        Duration enough = cloudTime ? MINIMUM_AGE : MINIMUM_AGE.plus(LARGEST_SKEW);
        if (!eni.instanceId().isEmpty()) {
            return Optional.of("it hangs on instance " + eni.instanceId());
        } else if (eni.status() != CloudEniStatus.AVAILABLE) {
            return Optional.of("it is on its way: only what is Available is taken");
        } else if (age.isEmpty()) {
            return Optional.of("the cloud does not say when it was made");
        } else if (age.get().compareTo(enough) < 0) {
            return Optional.of("it is younger than " + enough.toMinutes() + "m"
                    + (cloudTime ? "" : ", by this node's clock, since the cloud does not tell its own"));
        }
        return Optional.empty();
    }

    /**
     * What a sweep reports of an ENI.
     *
     * @param keep why it stays; empty if it is taken
     * @param taken why it is taken
     */
    public static Candidate candidate(
            NetworkInterface eni, Optional<Duration> age, Optional<String> keep, String taken) {
        return new Candidate(
                eni.id(),
                eni.status().label(),
                eni.vswitchId(),
                eni.ips(),
                eni.createdAt(),
                age,
                keep.isEmpty(),
                keep.orElse(taken));
    }
}

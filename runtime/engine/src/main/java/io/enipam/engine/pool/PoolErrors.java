package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.CREATING;
import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IN_USE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.pool.Provisioner.ProvisioningBlock;
import io.enipam.engine.port.FactorySet.NamedFactory;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the pool says to a caller it cannot serve: the numbers that explain it, and what would help. */
final class PoolErrors {
    /** A create of an address takes a second or two, one with a new ENI some seconds more. */
    private static final Duration LATE = Duration.ofSeconds(10);

    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\p{Zl}\\p{Zp}]+");

    /** So much of a policy's message is passed on. */
    private static final int LONGEST = 500;

    private PoolErrors() {}

    /** @param unanswered how long the oldest create has been waited for, if one is */
    static IpamException exhausted(
            Waiter waiter, int capacity, Inventory inventory, String lastCreateFailure, Optional<Duration> unanswered) {
        String others = Stream.of(COOLING, RESERVED, CREATING, DISPOSING)
                .filter(state -> inventory.count(state) > 0)
                .map(state -> ", " + inventory.count(state) + " " + state.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
        Optional<Duration> late = unanswered.filter(time -> inventory.count(CREATING) > 0 && time.compareTo(LATE) >= 0);
        String waits = late.map(time -> "; creates have been waiting for the cloud for " + Backoff.text(time))
                .orElse("");
        String cause = lastCreateFailure.isEmpty() ? "" : "; the last create failed: " + lastCreateFailure;
        String hint = late.isPresent()
                ? "'ecs calls' shows whether the cloud answers, and 'doctor' what else is wrong"
                : "'pool idle', 'eni list' and 'events' show what keeps addresses from coming";
        if (inventory.count(IN_USE) >= capacity) {
            hint = "delete a pod, or use an instance type with more ENIs or addresses";
        }
        String message = "no address for pod " + waiter.pod + " within " + Backoff.text(waiter.timeout) + ": capacity "
                + capacity + ", in use " + inventory.count(IN_USE) + others + waits + cause;
        return new IpamException(ErrorCode.POOL_EXHAUSTED, message, hint);
    }

    /** @param left until the next create is tried */
    static IpamException blocked(PodRef pod, ProvisioningBlock blockade, Duration left) {
        NamedFactory maker = blockade.maker();
        return new IpamException(
                maker.ofPlugin() ? ErrorCode.PLUGIN_FAILED : ErrorCode.CLOUD_FAILED,
                "no address for pod " + pod + ": creates are blocked since " + CLOCK.format(blockade.since()) + " by"
                        + (maker.ofPlugin() ? " factory " + maker.name() : "") + ": "
                        + blockade.failed().message(),
                mend(blockade.failed()) + "; the next try is in " + Backoff.text(left));
    }

    /** What helps. A clock that is off looks to the cloud like a wrong key. */
    private static String mend(Failed failed) {
        if (failed.message().contains("InvalidTimeStamp")) {
            return "set this node's clock ('chronyc tracking' shows how far it is off)";
        }
        return failed.kind() == ErrorKind.UNAUTHORIZED
                ? "correct the credentials, or what they are allowed to do"
                : "correct the configuration";
    }

    /** The policy's own words, in one line; the hint begins with the kind, for programs. */
    static IpamException refused(String policy, Pick.Refused refused) {
        String line = UNPRINTABLE.matcher(refused.message()).replaceAll(" ").strip();
        String message = line.isEmpty() ? "the policy " + policy + " refused the pod and gave no reason" : line;
        return new IpamException(
                ErrorCode.REFUSED,
                message.length() <= LONGEST ? message : message.substring(0, LONGEST - 3) + "...",
                refused.kind() + ": refused by the policy " + policy);
    }

    /** Other pods were admitted each time that the policy answered. */
    static IpamException undecided(PodRef pod, String policy, Duration timeout) {
        return new IpamException(
                ErrorCode.TRY_AGAIN,
                "no address for pod " + pod + " within " + Backoff.text(timeout) + ": pods come faster than the policy "
                        + policy + " decides about them",
                "try again; 'plugin info' shows how the policy fares");
    }

    static IpamException closed() {
        return new IpamException(ErrorCode.TRY_AGAIN, "the daemon is stopping", "try again when it is back");
    }
}

package io.enipam.engine.pool;

import static io.enipam.sdk.ResourceState.COOLING;
import static io.enipam.sdk.ResourceState.CREATING;
import static io.enipam.sdk.ResourceState.DISPOSING;
import static io.enipam.sdk.ResourceState.IN_USE;
import static io.enipam.sdk.ResourceState.RESERVED;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.PodRef;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the pool says to a caller it cannot serve: the numbers that explain it, and what would help. */
final class Refusal {
    private Refusal() {}

    static IpamException exhausted(Waiter waiter, int capacity, Inventory inventory, String lastCreateFailure) {
        String others = Stream.of(COOLING, RESERVED, CREATING, DISPOSING)
                .filter(state -> inventory.count(state) > 0)
                .map(state -> ", " + inventory.count(state) + " " + state.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
        String cause = lastCreateFailure.isEmpty() ? "" : "; the last create failed: " + lastCreateFailure;
        boolean full = inventory.count(IN_USE) >= capacity;
        return new IpamException(
                ErrorCode.POOL_EXHAUSTED,
                "no address for pod " + waiter.pod + " within " + text(waiter.timeout) + ": capacity " + capacity
                        + ", in use " + inventory.count(IN_USE) + others + cause,
                full
                        ? "delete a pod, or use an instance type with more ENIs or addresses"
                        : "'pool idle', 'eni list' and 'events' show what keeps addresses from coming");
    }

    /** @param left until the next create is tried */
    static IpamException blocked(PodRef pod, Failed failed, Duration left) {
        String mend = failed.kind() == ErrorKind.UNAUTHORIZED
                ? "correct the credentials, or what they are allowed to do"
                : "correct the configuration";
        return new IpamException(
                ErrorCode.CLOUD_FAILED,
                "no address for pod " + pod + ": " + failed.message(),
                mend + "; the next try is in " + text(left));
    }

    static IpamException closed() {
        return new IpamException(ErrorCode.TRY_AGAIN, "the daemon is stopping", "try again when it is back");
    }

    /** Tenths of a second above one second, milliseconds below. */
    private static String text(Duration timeout) {
        long millis = timeout.toMillis();
        return millis < 1_000
                ? millis + " ms"
                : new DecimalFormat("0.#", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(millis / 1_000.0)
                        + " s";
    }
}

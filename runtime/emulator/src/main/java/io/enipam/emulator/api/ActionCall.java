package io.enipam.emulator.api;

import io.enipam.emulator.cloud.EniStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;

/**
 * One call of an action.
 *
 * @param params its parameters
 * @param now the moment at which it is done
 * @param lasting how long a passing status of an ENI lasts
 */
public record ActionCall(Params params, Instant now, Function<EniStatus, Duration> lasting) {
    /** When a status that begins now ends. */
    public Instant endOf(EniStatus status) {
        return now.plus(lasting.apply(status));
    }
}

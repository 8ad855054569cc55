package io.enipam.examples.churnadaptive;

import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.time.Duration;
import java.util.List;

/**
 * The settings, read once when the policy is opened.
 *
 * @param waitProbability the part of all pods that may find no idle address, above 0
 * @param least idle addresses to keep whatever is estimated
 * @param most idle addresses not to exceed whatever is estimated
 * @param minLeadTime the shortest time to plan for
 * @param safety what the measured create time is multiplied by, at least 1
 * @param halfLife after which a past interval counts half
 * @param calmTime how long a balanced coming and going shall typically move neither bound
 */
record ChurnAdaptiveConfig(
        double waitProbability,
        int least,
        int most,
        Duration minLeadTime,
        double safety,
        Duration halfLife,
        Duration calmTime) {
    static final double RAREST_WAIT = 0.0001;

    static final Setting<Double> WAIT_PROBABILITY = Setting.decimal("wait_probability", RAREST_WAIT, 0.5, 0.01)
            .doc("The part of all pods that may find no idle address and wait for one to be made.");
    static final Setting<Integer> LEAST =
            Setting.wholeNumber("least", 0, 10_000, 1).unit("addresses").doc("Idle addresses to keep at least.");
    static final Setting<Integer> MOST = Setting.wholeNumber("most", 1, 10_000, 10_000)
            .unit("addresses")
            .doc("Idle addresses to keep at most; the pool's capacity limits them anyway.");
    static final Setting<Duration> MIN_LEAD_TIME = Setting.duration(
                    "min_lead_time", Duration.ofMillis(100), Duration.ofMinutes(10), Duration.ofSeconds(5))
            .doc("The shortest lead time to plan for, and the one to start with, before any address was made.");
    static final Setting<Double> SAFETY =
            Setting.decimal("safety", 1, 10, 1.5).doc("The lead time is the measured create time multiplied by this.");
    static final Setting<Duration> HALF_LIFE = Setting.duration(
                    "half_life", Duration.ofSeconds(10), Duration.ofHours(1), Duration.ofMinutes(2))
            .doc("After this time what happened counts half in the estimates.");
    static final Setting<Duration> CALM_TIME = Setting.duration(
                    "calm_time", Duration.ZERO, Duration.ofHours(1), Duration.ofMinutes(1))
            .doc("How long pods that come and go in balance typically cause neither creates nor disposals.");

    static final List<Setting<?>> SCHEMA =
            List.of(WAIT_PROBABILITY, LEAST, MOST, MIN_LEAD_TIME, SAFETY, HALF_LIFE, CALM_TIME);

    static ChurnAdaptiveConfig of(Settings settings) {
        return new ChurnAdaptiveConfig(
                settings.get(WAIT_PROBABILITY),
                settings.get(LEAST),
                settings.get(MOST),
                settings.get(MIN_LEAD_TIME),
                settings.get(SAFETY),
                settings.get(HALF_LIFE),
                settings.get(CALM_TIME));
    }

    ChurnAdaptiveConfig withWaitProbability(double probability) {
        return new ChurnAdaptiveConfig(probability, least, most, minLeadTime, safety, halfLife, calmTime);
    }
}

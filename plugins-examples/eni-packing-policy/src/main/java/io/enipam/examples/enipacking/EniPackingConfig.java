package io.enipam.examples.enipacking;

import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.time.Duration;
import java.util.List;

/**
 * The settings, read once when the policy is opened.
 *
 * @param giveBack whether an unused ENI goes back although the upper watermark would let its addresses stay
 * @param slack idle addresses that must be left above the lower watermark when an ENI goes back
 * @param quiet how long an ENI must be unused before it goes back
 */
record EniPackingConfig(boolean giveBack, int slack, Duration quiet) {
    static final Setting<Boolean> GIVE_BACK_UNUSED = Setting.flag("give_back_unused", true)
            .doc("Whether an unused ENI goes back although pool.max_idle would let its addresses stay.");
    static final Setting<Integer> SLACK = Setting.wholeNumber("slack", 1, 1_000, 2)
            .unit("addresses")
            .doc("Idle addresses beyond pool.min_idle that other ENIs must have before an unused one goes back.");
    static final Setting<Duration> QUIET_TIME = Setting.duration(
                    "quiet_time", Duration.ZERO, Duration.ofDays(1), Duration.ofMinutes(2))
            .doc("How long an ENI must be unused before it goes back.");

    static final List<Setting<?>> SCHEMA = List.of(GIVE_BACK_UNUSED, SLACK, QUIET_TIME);

    static EniPackingConfig of(Settings settings) {
        return new EniPackingConfig(settings.get(GIVE_BACK_UNUSED), settings.get(SLACK), settings.get(QUIET_TIME));
    }
}

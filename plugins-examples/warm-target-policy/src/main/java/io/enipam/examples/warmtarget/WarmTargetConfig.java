package io.enipam.examples.warmtarget;

import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.time.Duration;
import java.util.List;

/**
 * The settings, read once when the policy is opened. Names and meanings are those of the AWS VPC CNI, in lower case.
 *
 * @param warmIp idle addresses to keep; 0 is unset
 * @param minimumIp addresses the node has at least, in use or not; 0 is unset
 * @param warmEni whole ENIs to keep idle, while both others are unset
 * @param perEni addresses of one ENI; 0 is learnt from the fullest ENI there is
 * @param coolDown how long an address given back is leased to no pod, at least
 * @param coolingIsWarm whether a cooling address counts as a warm one
 * @param quiet how long every address of an ENI is idle before the ENI goes back whole
 */
record WarmTargetConfig(
        int warmIp, int minimumIp, int warmEni, int perEni, Duration coolDown, boolean coolingIsWarm, Duration quiet) {
    private static final String APART = "apart";
    private static final String WARM = "warm";

    static final Setting<Integer> WARM_IP_TARGET = Setting.wholeNumber("warm_ip_target", 0, 10_000, 0)
            .unit("addresses")
            .doc("Idle addresses to keep beside those in use; 0 is unset.");
    static final Setting<Integer> MINIMUM_IP_TARGET = Setting.wholeNumber("minimum_ip_target", 0, 10_000, 0)
            .unit("addresses")
            .doc("Addresses to have at least, in use or not; 0 is unset.");
    static final Setting<Integer> WARM_ENI_TARGET = Setting.wholeNumber("warm_eni_target", 0, 100, 1)
            .unit("ENIs")
            .doc("Whole ENIs to keep idle; has no effect once warm_ip_target or minimum_ip_target is set.");
    static final Setting<Integer> ADDRESSES_PER_ENI = Setting.wholeNumber("addresses_per_eni", 0, 1_000, 0)
            .unit("addresses")
            .doc("How many addresses one ENI has, for warm_eni_target; 0 learns it from the fullest ENI.");
    static final Setting<Duration> IP_COOLDOWN_PERIOD = Setting.duration(
                    "ip_cooldown_period", Duration.ZERO, Duration.ofHours(1), Duration.ofSeconds(30))
            .doc("How long an address given back is lent to nobody, unless pool.cool_down is longer.");
    static final Setting<String> COOLING = Setting.choice("cooling", List.of(APART, WARM), APART)
            .doc("Whether cooling addresses are kept apart from the warm ones, or count as warm as AWS counts them.");
    static final Setting<Duration> ENI_QUIET_TIME = Setting.duration(
                    "eni_quiet_time", Duration.ZERO, Duration.ofHours(1), Duration.ofMinutes(1))
            .doc("How long all addresses of an ENI are idle before warm_eni_target lets the ENI go back.");

    static final List<Setting<?>> SCHEMA = List.of(
            WARM_IP_TARGET,
            MINIMUM_IP_TARGET,
            WARM_ENI_TARGET,
            ADDRESSES_PER_ENI,
            IP_COOLDOWN_PERIOD,
            COOLING,
            ENI_QUIET_TIME);

    static WarmTargetConfig of(Settings settings) {
        return new WarmTargetConfig(
                settings.get(WARM_IP_TARGET),
                settings.get(MINIMUM_IP_TARGET),
                settings.get(WARM_ENI_TARGET),
                settings.get(ADDRESSES_PER_ENI),
                settings.get(IP_COOLDOWN_PERIOD),
                settings.get(COOLING).equals(WARM),
                settings.get(ENI_QUIET_TIME));
    }

    /** Whether single addresses are counted; whole ENIs are if not. One setting of the two is enough, as with AWS. */
    boolean countsAddresses() {
        return warmIp > 0 || minimumIp > 0;
    }
}

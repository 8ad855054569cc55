package io.enipam.aliyun;

import static io.enipam.aliyun.eni.FactorySettings.LostEniPolicy.REATTACH;
import static io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy.ORDERED;

import io.enipam.aliyun.eni.FactorySettings.LostEniPolicy;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The ENIs this node makes: where, with what on them, and how many.
 *
 * @param vswitches vSwitch ids by zone, in order of preference; the node's own vSwitch if its zone has none
 * @param vswitchPolicy which of its zone's vSwitches the next ENI is made in
 * @param securityGroups 0 to 10, distinct; empty: the instance's own
 * @param tags put on every ENI beside the creator, node and cluster tags, which win
 * @param cluster the cluster's id, put on every ENI as a tag; empty: no such tag
 * @param dual whether each pod has an IPv6 address beside its IPv4 one
 * @param lostEni what becomes of an ENI that another actor takes off the instance while addresses of it are in use
 */
public record EniConfig(
        Map<String, List<String>> vswitches,
        VSwitchPolicy vswitchPolicy,
        List<String> securityGroups,
        Map<String, String> tags,
        String cluster,
        EniBounds bounds,
        boolean dual,
        LostEniPolicy lostEni) {
    public EniConfig {
        vswitches = Map.copyOf(vswitches);
        securityGroups = List.copyOf(securityGroups);
        tags = Map.copyOf(tags);
    }

    public static EniConfig defaults() {
        return new EniConfig(Map.of(), ORDERED, List.of(), Map.of(), "", EniBounds.none(), false, REATTACH);
    }

    public EniConfig withVSwitches(Map<String, List<String>> byZone, VSwitchPolicy policy) {
        return new EniConfig(byZone, policy, securityGroups, tags, cluster, bounds, dual, lostEni);
    }

    public EniConfig withBounds(EniBounds others) {
        return new EniConfig(vswitches, vswitchPolicy, securityGroups, tags, cluster, others, dual, lostEni);
    }

    public EniConfig dual(boolean both) {
        return new EniConfig(vswitches, vswitchPolicy, securityGroups, tags, cluster, bounds, both, lostEni);
    }

    /**
     * How many secondary ENIs the configuration wants, in terway's terms.
     *
     * @param max {@code max_eni}: no more than this, at least 0; {@link #UNBOUNDED} for no bound
     * @param min {@code min_eni}: so many are kept attached, with or without pods, at least 0
     * @param ratio {@code eni_cap_ratio}: factor on what the instance type allows beside the primary ENI, at least 0
     * @param shift {@code eni_cap_shift}: added to the product; may be negative
     */
    public record EniBounds(int max, int min, double ratio, int shift) {
        /** No bound of the configuration's. */
        public static final int UNBOUNDED = Integer.MAX_VALUE;

        private static final String CUT =
                "eni_cap_ratio %s and eni_cap_shift %d come to %.0f ENIs, where the instance type"
                        + " allows 0 to %d beside the primary one: %d is in force";

        public EniBounds {
            if (max < 0 || min < 0 || !(ratio >= 0 && ratio < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(
                        "needs max >= 0, min >= 0 and a ratio >= 0, got " + max + ", " + min + ", " + ratio);
            }
        }

        /** What the instance type allows, and no ENI kept without need. */
        public static EniBounds none() {
            return upTo(UNBOUNDED);
        }

        /** What the instance type allows, but no more than this. */
        public static EniBounds upTo(int max) {
            return new EniBounds(max, 0, 1, 0);
        }

        /**
         * @param max secondary ENIs at one time, 0 to what the type allows
         * @param min ENIs kept attached, 0 to {@code max}
         * @param adjustments what was asked for and cannot be, a line each
         */
        public record Outcome(int max, int min, List<String> adjustments) {
            public Outcome {
                adjustments = List.copyOf(adjustments);
            }
        }

        /**
         * Terway's formula: (ENIs of the type, less the primary one) x ratio + shift, rounded down and at most
         * {@link #max}. Terway starts with a negative capacity and then crashes, and with a {@code min_eni} above it not at
         * all; here impossible values are cut to possible ones and reported.
         *
         * @param typeEnis ENIs the instance type allows, the primary one included
         */
        public Outcome resolve(int typeEnis) {
            List<String> adjustments = new ArrayList<>();
            int allowed = Math.max(0, typeEnis - 1);
            double wished = Math.floor(allowed * ratio + shift);
            int scaled = (int) Math.max(0, Math.min(wished, allowed));
            if (wished != scaled) {
                adjustments.add(String.format(Locale.ROOT, CUT, ratio, shift, wished, allowed, scaled));
            }
            int most = Math.min(scaled, max);
            if (most == 0) {
                adjustments.add("this node can have no ENI beside its primary one, and so no address for a pod; look at"
                        + " max_eni, eni_cap_ratio, eni_cap_shift and the instance type, which allows " + allowed);
            }
            if (min > most) {
                adjustments.add("min_eni " + min + " is above the " + most + " ENIs that this node can have: " + most
                        + " is in force");
            }
            return new Outcome(most, Math.min(min, most), adjustments);
        }
    }
}

package io.enipam.sdk.cloud;

import java.util.List;

/**
 * An ENI to be made.
 *
 * @param kind {@link Eni.Kind#SECONDARY} or {@link Eni.Kind#TRUNK}
 * @param vSwitch empty text for the first of {@link Cloud#vSwitches}
 * @param securityGroups up to 10; empty for those of the daemon's own ENIs
 * @param label by which the plugin finds it again, up to 128 characters without {@code http://} and {@code https://}; it is put on
 *     the ENI as a tag
 */
public record EniRequest(Eni.Kind kind, String vSwitch, List<String> securityGroups, String label) {
    public EniRequest {
        securityGroups = List.copyOf(securityGroups);
        boolean makeable = kind == Eni.Kind.SECONDARY || kind == Eni.Kind.TRUNK;
        if (!makeable || securityGroups.size() > 10 || label.length() > 128 || label.matches("(?s).*https?://.*")) {
            throw new IllegalArgumentException(
                    "an ENI to be made is a secondary or a trunk ENI of up to 10 security groups with"
                            + " a label of up to 128 characters and no address, got " + kind + ", " + securityGroups
                            + ", " + label);
        }
    }

    /** One of this kind, where the daemon's own would be made. */
    public static EniRequest of(Eni.Kind kind, String label) {
        return new EniRequest(kind, "", List.of(), label);
    }
}

package io.enipam.examples.cidr;

import io.enipam.sdk.Setting;
import java.util.List;

/** What may be written under {@code plugins.cidr-factory}; {@link AddressPlan} checks how the values fit together. */
final class CidrSettings {
    private static final String IP = "[0-9a-fA-F:.]{2,45}";
    private static final String LENGTH = "(/[0-9]{1,3})?";

    static final Setting<List<String>> RANGES = Setting.texts(
                    "ranges",
                    "CIDRs such as 10.64.0.0/24, or FIRST-LAST, or FIRST-LAST/LENGTH",
                    IP + "(-" + IP + ")?" + LENGTH,
                    256,
                    List.of())
            .doc("Where addresses come from, IPv4 and IPv6.");

    static final Setting<List<String>> GATEWAYS = Setting.texts("gateways", "IP addresses", IP, 256, List.of())
            .doc(
                    "Gateways, each of the subnet that contains it; a subnet without one has its first usable address for it.");

    static final Setting<List<String>> EXCLUDE = Setting.texts(
                    "exclude", "addresses, CIDRs or FIRST-LAST", IP + "(-" + IP + ")?" + LENGTH, 4096, List.of())
            .doc("Addresses of the ranges that are never given.");

    static final String SEQUENTIAL = "sequential";
    static final String LOWEST = "lowest";

    static final Setting<String> ORDER = Setting.choice("order", List.of(SEQUENTIAL, LOWEST), SEQUENTIAL)
            .doc("Which free address is next: the one after the last given, wrapping round, or the lowest.");

    static final List<Setting<?>> ALL = List.of(RANGES, GATEWAYS, EXCLUDE, ORDER);

    private CidrSettings() {}
}

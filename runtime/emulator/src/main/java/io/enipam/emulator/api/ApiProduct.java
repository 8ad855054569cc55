package io.enipam.emulator.api;

import java.util.Arrays;
import java.util.Optional;

/** The products the emulator speaks for, told apart by the Version parameter. */
public enum ApiProduct {
    ECS("2014-05-26", "ecs"),
    VPC("2016-04-28", "vpc");

    private final String version;
    private final String host;

    ApiProduct(String version, String host) {
        this.version = version;
        this.host = host;
    }

    /** The product of that version. */
    public static Optional<ApiProduct> ofVersion(String version) {
        return Arrays.stream(values()).filter(s -> s.version.equals(version)).findFirst();
    }

    /** What an error body calls the host. */
    public String hostId(String region) {
        return host + "." + region + ".aliyuncs.com";
    }
}

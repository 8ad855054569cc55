package io.enipam.sdk;

/** The version of the SDK that is on the class path: what a plugin's {@code Sdk-Version} is compared with. */
public final class SdkVersion {
    private static final String CURRENT = "0.1.0";

    private SdkVersion() {}

    /** Major, minor and micro: {@code 0.1.0}. */
    public static String current() {
        return CURRENT;
    }
}

package io.enipam.frontends.cni.spec;

import io.enipam.frontends.cni.spec.CniException.CniErrorCode;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** The versions of the specification that are spoken here, oldest first. */
public enum SpecVersion {
    V0_1_0("0.1.0"),
    V0_2_0("0.2.0"),
    V0_3_0("0.3.0"),
    V0_3_1("0.3.1"),
    V0_4_0("0.4.0"),
    V1_0_0("1.0.0"),
    V1_1_0("1.1.0");

    /** The default where the caller names no version. */
    public static final SpecVersion LATEST = V1_1_0;

    private static final Pattern SHAPE = Pattern.compile("\\d{1,9}(\\.\\d{1,9}){1,2}");

    private final String text;

    SpecVersion(String text) {
        this.text = text;
    }

    /** As in a configuration: {@code 1.1.0}. */
    public String text() {
        return text;
    }

    /** All of them, as VERSION lists them. */
    public static List<String> texts() {
        return Arrays.stream(values()).map(SpecVersion::text).toList();
    }

    /** Whether a result has one address of a family at most, each under a key of its own. */
    boolean hasOneAddressEach() {
        return compareTo(V0_3_0) < 0;
    }

    /** Whether each address of a result says of which family it is. */
    boolean namesFamilies() {
        return !hasOneAddressEach() && compareTo(V1_0_0) < 0;
    }

    /** Whether a result has the MTU and the like. */
    boolean tellsDetails() {
        return compareTo(V1_1_0) >= 0;
    }

    /**
     * @param text empty for none: the first version had no such key
     * @throws CniException code 6 if it is no version, 1 if it is another one
     */
    static SpecVersion parse(String text) {
        if (text.isEmpty()) {
            return V0_1_0;
        }
        if (!SHAPE.matcher(text).matches()) {
            throw new CniException(
                    CniErrorCode.DECODE_FAILURE,
                    "cniVersion is no version: " + CniException.quoted(text),
                    "such as 1.0.0");
        }
        return Arrays.stream(values())
                .filter(version -> version.text.equals(text))
                .findFirst()
                .orElseThrow(() -> new CniException(
                        CniErrorCode.INCOMPATIBLE_VERSION,
                        "incompatible CNI versions",
                        "config is \"" + text + "\", plugin supports " + texts()));
    }
}

package io.enipam.examples.hostlocal;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A version of the CNI specification, ascending. */
enum CniVersion {
    V0_1_0("0.1.0"),
    V0_2_0("0.2.0"),
    V0_3_0("0.3.0"),
    V0_3_1("0.3.1"),
    V0_4_0("0.4.0"),
    V1_0_0("1.0.0"),
    V1_1_0("1.1.0");

    private final String text;

    CniVersion(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** A configuration without one is of the first version. */
    static CniVersion of(GoJson conf) throws Refused {
        GoJson value = conf.at("cniVersion");
        if (!value.isAbsent() && !value.node().isTextual()) {
            throw new Refused(Refused.DECODE, "decoding version from network config: cniVersion is no string", "");
        }
        String written = value.node().asText();
        return named(written.isEmpty() ? V0_1_0.text : written)
                .orElseThrow(() -> new Refused(
                        Refused.INCOMPATIBLE_VERSION,
                        "incompatible CNI versions",
                        "config is \"" + written + "\", plugin supports ["
                                + texts().map(known -> "\"" + known + "\"").collect(Collectors.joining(" ")) + "]"));
    }

    static Optional<CniVersion> named(String text) {
        return Arrays.stream(values()).filter(known -> known.text.equals(text)).findFirst();
    }

    static Stream<String> texts() {
        return Arrays.stream(values()).map(CniVersion::text);
    }

    /** Whether a result may have more than one address of a family. */
    boolean hasManyAddresses() {
        return compareTo(V0_3_0) >= 0;
    }

    /** @throws Refused code 1 if a command came later */
    void require(CniVersion since, String command) throws Refused {
        if (compareTo(since) < 0) {
            throw new Refused(Refused.INCOMPATIBLE_VERSION, "config version does not allow " + command, "");
        }
    }
}

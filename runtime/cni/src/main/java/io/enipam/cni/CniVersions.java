package io.enipam.cni;

import io.enipam.cni.FrameCodec.CniResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The versions of the CNI specification that enipam serves. Both fronts answer VERSION with them when there is no daemon to ask. */
public final class CniVersions {
    /** The oldest first. */
    public static final List<String> SUPPORTED = List.of("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0");

    /** What an answer says where the configuration does not say which it follows. */
    static final String LATEST = SUPPORTED.get(SUPPORTED.size() - 1);

    private static final Pattern VERSION = Pattern.compile("\"cniVersion\"\\s*:\\s*\"([0-9.]{1,23})\"");

    private CniVersions() {}

    /** The version that a configuration follows, or the latest if it says none. */
    static String in(byte[] configuration) {
        Matcher found = VERSION.matcher(new String(configuration, StandardCharsets.ISO_8859_1));
        return found.find() ? found.group(1) : LATEST;
    }

    static CniResponse answer(String cniVersion) {
        String supported = "[\"" + String.join("\",\"", SUPPORTED) + "\"]";
        return CniResponse.of(0, "{\"cniVersion\":\"" + cniVersion + "\",\"supportedVersions\":" + supported + "}\n");
    }
}

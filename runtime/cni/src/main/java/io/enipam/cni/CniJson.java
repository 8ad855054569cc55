package io.enipam.cni;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The little JSON that a front writes and reads by itself. */
final class CniJson {
    private static final Pattern VERSION = Pattern.compile("\"cniVersion\"\\s*:\\s*\"([0-9.]{1,23})\"");

    private CniJson() {}

    /** The version that a configuration follows, or the latest if it says none. */
    static String versionIn(byte[] configuration) {
        Matcher found = VERSION.matcher(new String(configuration, StandardCharsets.ISO_8859_1));
        return found.find() ? found.group(1) : CniVersions.LATEST;
    }

    /** What VERSION answers. */
    static CniResponse versions(String cniVersion) {
        return answer(
                0,
                "{\"cniVersion\":\"" + cniVersion + "\",\"supportedVersions\":[\""
                        + String.join("\",\"", CniVersions.SUPPORTED) + "\"]}\n");
    }

    static CniResponse answer(int exit, String stdout) {
        return new CniResponse(exit, stdout.getBytes(StandardCharsets.UTF_8), new byte[0]);
    }

    /** Makes a text fit for JSON: what would need an escape becomes one character. */
    static String plain(String text) {
        return text.replaceAll("[^ -~]|\\\\", "?").replace('"', '\'');
    }
}

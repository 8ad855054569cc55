package io.enipam.cni;

import java.util.List;

/** The versions of the CNI specification that enipam serves. Both fronts answer VERSION with them when there is no daemon to ask. */
public final class CniVersions {
    /** The oldest first. */
    public static final List<String> SUPPORTED = List.of("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0");

    /** What an answer says where the configuration does not say which it follows. */
    static final String LATEST = SUPPORTED.get(SUPPORTED.size() - 1);

    private CniVersions() {}
}

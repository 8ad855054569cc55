package io.enipam.cni;

import java.util.Map;

/**
 * One call of the front.
 *
 * @param environment the variables whose names begin with {@code CNI_}
 * @param stdin what was read from standard input, all of it
 */
public record CniRequest(Map<String, String> environment, byte[] stdin) {
    public CniRequest {
        environment = Map.copyOf(environment);
    }
}

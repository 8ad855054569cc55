package io.enipam.sdk;

import java.util.regex.Pattern;

/**
 * Names one request for one resource across retries and restarts. A factory that {@linkplain
 * Capabilities#replaysTokens() replays tokens} makes one resource when it is given the same token twice; it may hand
 * the token to a cloud as the idempotency key ({@code ClientToken} of ECS: at most 64 ASCII
 * characters, case-sensitive).
 *
 * @param value 1 to 64 characters of {@code [A-Za-z0-9_-]}
 */
public record RequestToken(String value) {
    private static final Pattern VALUE = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    public RequestToken {
        Text.require("request token", value, VALUE);
    }

    @Override
    public String toString() {
        return value;
    }
}

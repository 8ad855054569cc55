package io.enipam.aliyun.credentials;

import java.time.Instant;
import java.util.Optional;

/**
 * What a call is signed with. It shows no more of itself than the beginning of the key's id.
 *
 * @param accessKeyId the key's id
 * @param accessKeySecret its secret
 * @param securityToken what goes with a temporary key (STS)
 * @param expires when a temporary key ends, if that is known
 */
public record CloudCredentials(
        String accessKeyId, String accessKeySecret, Optional<String> securityToken, Optional<Instant> expires) {
    private static final int SHOWN = 4;

    /** Whether it is over at that time. */
    boolean expiredAt(Instant now) {
        return expires.filter(end -> !now.isBefore(end)).isPresent();
    }

    @Override
    public String toString() {
        return "Keys[" + accessKeyId.substring(0, Math.min(SHOWN, accessKeyId.length() / 2)) + "***"
                + expires.map(end -> ", until " + end).orElse("") + "]";
    }
}

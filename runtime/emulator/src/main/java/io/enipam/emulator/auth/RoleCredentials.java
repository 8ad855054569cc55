package io.enipam.emulator.auth;

import java.time.Instant;

/**
 * Credentials of the instance's RAM role. Never shown whole.
 *
 * @param accessKeyId {@code STS.} and more
 * @param accessKeySecret what signs
 * @param securityToken goes with every call
 * @param issued since when
 * @param expires until when
 */
public record RoleCredentials(
        String accessKeyId, String accessKeySecret, String securityToken, Instant issued, Instant expires) {
    @Override
    public String toString() {
        return "RoleCredentials[accessKeyId=" + accessKeyId + ", accessKeySecret=***, securityToken=***, issued="
                + issued + ", expires=" + expires + "]";
    }
}

package io.enipam.emulator.api;

import io.enipam.emulator.api.RoleCredentials.RoleSettings;
import java.time.Instant;
import java.util.Optional;

/** The one account: its access key, and the credentials of the role its instances have. Thread-safe. */
public final class Account {
    public static final String ROLE = "EnipamCloudRole";

    private final String accessKeyId;
    private final String accessKeySecret;
    private final RoleCredentials.Issuer role;
    private volatile boolean disabled;

    public Account(String accessKeyId, String accessKeySecret, long seed, RoleSettings settings) {
        this.accessKeyId = accessKeyId;
        this.accessKeySecret = accessKeySecret;
        this.role = new RoleCredentials.Issuer(seed, settings);
    }

    public RoleCredentials roleCredentials(Instant now) {
        return role.newest(now);
    }

    /**
     * Ends the time of a valid key: the account's own is unknown from then on, as if it were deleted; the role's are expired, and if
     * they were the newest, the metadata service gives out others. False if there is no such valid key.
     */
    public boolean expire(String key, Instant now) {
        if (!key.equals(accessKeyId)) {
            return role.expire(key, now);
        }
        boolean good = !disabled;
        disabled = true;
        return good;
    }

    /** Makes the access key good again; role credentials that were ended stay so. */
    public void restore() {
        disabled = false;
    }

    /**
     * The secret of an access key. Throws ApiException if the key is unknown, or its security token is missing, wrong
     * or expired.
     */
    String secretOf(String key, Optional<String> securityToken, Instant now) {
        if (key.equals(accessKeyId) && !disabled) {
            if (securityToken.isPresent()) {
                throw ApiError.FOREIGN_SECURITY_TOKEN.with();
            }
            return accessKeySecret;
        }
        RoleCredentials credentials = role.find(key, now).orElseThrow(ApiError.ACCESS_KEY_NOT_FOUND::with);
        String token = securityToken.orElseThrow(ApiError.MISSING_SECURITY_TOKEN::with);
        if (!token.equals(credentials.securityToken())) {
            throw ApiError.INVALID_SECURITY_TOKEN.with();
        }
        if (role.isOver(credentials, now)) {
            throw ApiError.EXPIRED_SECURITY_TOKEN.with();
        }
        return credentials.accessKeySecret();
    }
}

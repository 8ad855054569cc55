package io.enipam.emulator.auth;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import java.time.Instant;
import java.util.Optional;

/** The one account: its access key, and the credentials of the role its instances have. Thread-safe. */
public final class Account {
    /** The name of the role. */
    public static final String ROLE = "EnipamCloudRole";

    private final String accessKeyId;
    private final String accessKeySecret;
    private final RoleCredentialIssuer role;
    private volatile boolean disabled;

    /** An account with that key. */
    public Account(String accessKeyId, String accessKeySecret, long seed, RoleSettings settings) {
        this.accessKeyId = accessKeyId;
        this.accessKeySecret = accessKeySecret;
        this.role = new RoleCredentialIssuer(seed, settings);
    }

    /** The newest credentials of the role. */
    public RoleCredentials roleCredentials(Instant now) {
        return role.newest(now);
    }

    /**
     * Ends the time of a good key: the account's own is unknown from then on, as when somebody deletes it; the role's are
     * expired, and if they were the newest, the metadata service gives out others. False if there is no such good key.
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

    /** The id of its access key. */
    public String accessKeyId() {
        return accessKeyId;
    }

    /**
     * The secret of an access key.
     *
     * @throws ApiException if the key is unknown, or its security token is missing, wrong or expired
     */
    String secretOf(String key, Optional<String> securityToken, Instant now) {
        if (key.equals(accessKeyId) && !disabled) {
            if (securityToken.isPresent()) {
                throw new ApiException(ApiError.FOREIGN_SECURITY_TOKEN);
            }
            return accessKeySecret;
        }
        RoleCredentials credentials =
                role.find(key, now).orElseThrow(() -> new ApiException(ApiError.ACCESS_KEY_NOT_FOUND));
        String token = securityToken.orElseThrow(() -> new ApiException(ApiError.MISSING_SECURITY_TOKEN));
        if (!token.equals(credentials.securityToken())) {
            throw new ApiException(ApiError.INVALID_SECURITY_TOKEN);
        }
        if (role.isOver(credentials, now)) {
            throw new ApiException(ApiError.EXPIRED_SECURITY_TOKEN);
        }
        return credentials.accessKeySecret();
    }
}

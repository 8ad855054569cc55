package io.enipam.emulator.auth;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The one account: its access key, and the credentials of the role its instances have. Role credentials follow from seed
 * and time, so none is stored: a new set begins every three hours and each is good for six. Immutable.
 */
public final class Account {
    /** The name of the role. */
    public static final String ROLE = "EnipamCloudRole";

    private static final long PERIOD_SECONDS = Duration.ofHours(3).toSeconds();
    private static final int PERIODS_VALID = 2;
    /** Whose key is still known, so that old credentials are told to be expired and not to be strange: a week. */
    private static final int PERIODS_KNOWN = 56;

    private final String accessKeyId;
    private final String accessKeySecret;
    private final long seed;

    /** An account with that key. */
    public Account(String accessKeyId, String accessKeySecret, long seed) {
        this.accessKeyId = accessKeyId;
        this.accessKeySecret = accessKeySecret;
        this.seed = seed;
    }

    /** The newest credentials of the role. */
    public RoleCredentials roleCredentials(Instant now) {
        return ofPeriod(now.getEpochSecond() / PERIOD_SECONDS);
    }

    /**
     * The secret of an access key.
     *
     * @throws ApiException if the key is unknown, or its security token is missing, wrong or expired
     */
    String secretOf(String key, Optional<String> securityToken, Instant now) {
        if (key.equals(accessKeyId)) {
            if (securityToken.isPresent()) {
                throw new ApiException(ApiError.FOREIGN_SECURITY_TOKEN);
            }
            return accessKeySecret;
        }
        long period = now.getEpochSecond() / PERIOD_SECONDS;
        for (long age = 0; age <= PERIODS_KNOWN; age++) {
            RoleCredentials role = ofPeriod(period - age);
            if (role.accessKeyId().equals(key)) {
                check(role, securityToken, now);
                return role.accessKeySecret();
            }
        }
        throw new ApiException(ApiError.ACCESS_KEY_NOT_FOUND);
    }

    private static void check(RoleCredentials role, Optional<String> securityToken, Instant now) {
        String token = securityToken.orElseThrow(() -> new ApiException(ApiError.MISSING_SECURITY_TOKEN));
        if (!token.equals(role.securityToken())) {
            throw new ApiException(ApiError.INVALID_SECURITY_TOKEN);
        }
        if (!now.isBefore(role.expires())) {
            throw new ApiException(ApiError.EXPIRED_SECURITY_TOKEN);
        }
    }

    private RoleCredentials ofPeriod(long period) {
        SplittableRandom random = new SplittableRandom(seed * 31 + period);
        Instant issued = Instant.ofEpochSecond(period * PERIOD_SECONDS);
        return new RoleCredentials(
                "STS." + hex(random),
                hex(random) + hex(random),
                hex(random) + hex(random) + hex(random),
                issued,
                issued.plusSeconds(PERIODS_VALID * PERIOD_SECONDS));
    }

    private static String hex(SplittableRandom random) {
        return Long.toHexString(random.nextLong());
    }
}

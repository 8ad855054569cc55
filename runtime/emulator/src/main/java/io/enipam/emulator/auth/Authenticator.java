package io.enipam.emulator.auth;

import io.enipam.emulator.api.ApiError;
import io.enipam.emulator.api.ApiException;
import io.enipam.emulator.api.Params;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Checks that a call comes from the account, is fresh and is not a replay. Thread-safe. */
public final class Authenticator {
    private static final Duration WINDOW = Duration.ofMinutes(15);
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);
    private static final int NONCES = 200_000;
    private static final int NONCE_LENGTH = 128;

    private final Account account;
    private final InstantSource clock;
    private final NonceWindow nonces = new NonceWindow(NONCES);

    /** Checks calls against the account. */
    public Authenticator(Account account, InstantSource clock) {
        this.account = account;
        this.clock = clock;
    }

    /**
     * Lets a call pass.
     *
     * @param method GET or POST, which the signature covers
     * @throws ApiException with the first thing that is wrong
     */
    public void check(String method, Params params) {
        Instant now = clock.instant();
        String key = params.require("AccessKeyId", ApiError.MISSING_ACCESS_KEY);
        String secret = account.secretOf(key, params.get("SecurityToken"), now);
        Instant timestamp = timestamp(params.require("Timestamp", ApiError.MISSING_TIMESTAMP));
        if (Duration.between(timestamp, now).abs().compareTo(WINDOW) > 0) {
            throw new ApiException(ApiError.EXPIRED_TIMESTAMP);
        }
        expect(params, "SignatureMethod", "HMAC-SHA1");
        expect(params, "SignatureVersion", "1.0");
        String nonce = params.require("SignatureNonce", ApiError.MISSING_NONCE);
        if (nonce.length() > NONCE_LENGTH) {
            throw Params.invalid("SignatureNonce");
        }
        String signature = params.require("Signature", ApiError.MISSING_SIGNATURE);
        String stringToSign = Signature.stringToSign(method, params.all());
        if (!Signature.matches(secret, stringToSign, signature)) {
            throw new ApiException(ApiError.SIGNATURE_MISMATCH, stringToSign);
        }
        // after the signature, so that nobody without the secret can fill the window
        if (!nonces.first(key + ' ' + nonce, timestamp.plus(WINDOW), now)) {
            throw new ApiException(ApiError.USED_NONCE);
        }
    }

    private static void expect(Params params, String name, String only) {
        String value = params.get(name).orElse("");
        if (!value.equals(only)) {
            throw new ApiException(ApiError.INCOMPLETE_SIGNATURE, name + " must be " + only);
        }
    }

    private static Instant timestamp(String text) {
        try {
            return TIMESTAMP.parse(text, Instant::from);
        } catch (DateTimeException malformed) {
            throw new ApiException(ApiError.MALFORMED_TIMESTAMP);
        }
    }
}

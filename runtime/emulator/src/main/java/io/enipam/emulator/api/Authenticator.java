package io.enipam.emulator.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Checks that a call comes from the account, is fresh and is not a replay, whichever of the two signatures it carries.
 * Thread-safe.
 */
public final class Authenticator {
    private static final Duration WINDOW = Duration.ofMinutes(15);
    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);
    private static final int NONCES = 200_000;
    private static final int NONCE_LENGTH = 128;

    private final Account account;
    private final InstantSource clock;
    private final NonceWindow nonces = new NonceWindow(NONCES);

    public Authenticator(Account account, InstantSource clock) {
        this.account = account;
        this.clock = clock;
    }

    /** Lets a call pass. Throws ApiException with the first thing that is wrong. */
    public void check(Request request) {
        if (request.isSignedByHeader()) {
            checkHeader(request);
        } else {
            checkParameters(request);
        }
    }

    private void checkParameters(Request request) {
        Instant now = clock.instant();
        Params params = request.params();
        String key = params.require("AccessKeyId", ApiError.MISSING_ACCESS_KEY);
        String secret = account.secretOf(key, params.get("SecurityToken"), now);
        Instant timestamp = fresh(params.require("Timestamp", ApiError.MISSING_TIMESTAMP), now);
        expect(params, "SignatureMethod", "HMAC-SHA1");
        expect(params, "SignatureVersion", "1.0");
        String nonce = nonce(params.get("SignatureNonce"));
        String signature = params.require("Signature", ApiError.MISSING_SIGNATURE);
        String stringToSign = ParameterSignature.stringToSign(request.method(), request.queryAndForm());
        if (!ParameterSignature.matches(secret, stringToSign, signature)) {
            throw ApiError.SIGNATURE_MISMATCH.with(stringToSign);
        }
        refuseReplay(key, nonce, timestamp, now);
    }

    private void checkHeader(Request request) {
        Instant now = clock.instant();
        HeaderSignature signature =
                HeaderSignature.parse(request.header("authorization").orElse(""));
        String key = signature.accessKeyId();
        String secret = account.secretOf(key, request.params().get("SecurityToken"), now);
        Instant timestamp = fresh(request.header("x-acs-date").orElseThrow(ApiError.MISSING_TIMESTAMP::with), now);
        String nonce = nonce(request.header("x-acs-signature-nonce"));
        signature.requireCovered(request);
        String canonicalRequest = signature.canonicalRequest(request);
        String stringToSign = HeaderSignature.stringToSign(canonicalRequest);
        if (!signature.matches(secret, stringToSign)) {
            throw ApiError.HEADER_SIGNATURE_MISMATCH.with(canonicalRequest, stringToSign);
        }
        refuseReplay(key, nonce, timestamp, now);
    }

    /** After the signature, so that no client without the secret can fill the window. */
    private void refuseReplay(String key, String nonce, Instant timestamp, Instant now) {
        if (!nonces.first(key + ' ' + nonce, timestamp.plus(WINDOW), now)) {
            throw ApiError.USED_NONCE.with();
        }
    }

    private static String nonce(Optional<String> given) {
        String nonce = given.filter(text -> !text.isEmpty()).orElseThrow(ApiError.MISSING_NONCE::with);
        if (nonce.length() > NONCE_LENGTH) {
            throw Params.invalid("SignatureNonce");
        }
        return nonce;
    }

    private static void expect(Params params, String name, String only) {
        String value = params.get(name).orElse("");
        if (!value.equals(only)) {
            throw ApiError.INCOMPLETE_SIGNATURE.with(name + " must be " + only);
        }
    }

    private static Instant fresh(String text, Instant now) {
        Instant timestamp;
        try {
            timestamp = TIMESTAMP.parse(text, Instant::from);
        } catch (DateTimeException malformed) {
            throw ApiError.MALFORMED_TIMESTAMP.with();
        }
        if (Duration.between(timestamp, now).abs().compareTo(WINDOW) > 0) {
            throw ApiError.EXPIRED_TIMESTAMP.with();
        }
        return timestamp;
    }

    /**
     * Nonces seen, each until its call's timestamp is too old to be replayed. Keeps at most a fixed number, forgetting the
     * oldest beyond it. Thread-safe.
     */
    static final class NonceWindow {
        private final int capacity;
        private final Map<String, Instant> seen = new LinkedHashMap<>();

        NonceWindow(int capacity) {
            this.capacity = capacity;
        }

        /** Notes a nonce; false if it was seen before. */
        synchronized boolean first(String nonce, Instant expires, Instant now) {
            if (seen.containsKey(nonce)) {
                return false;
            }
            Iterator<Instant> oldest = seen.values().iterator();
            while (oldest.hasNext()) {
                boolean over = oldest.next().isBefore(now);
                if (!over && seen.size() < capacity) {
                    break;
                }
                oldest.remove();
            }
            seen.put(nonce, expires);
            return true;
        }
    }
}

package io.enipam.aliyun.api;

import io.enipam.aliyun.api.ErrorReactions.ErrorReaction;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A call of the cloud that did not work out. The message names action, code and request id, and holds no secret. */
public final class EcsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** How long a wrong configuration, a full quota or a wrong key is left alone, as it needs a change. */
    private static final Duration UNTIL_CHANGED = Duration.ofMinutes(1);
    /** The cloud counts in minutes of the clock; half of one is what is left on average. */
    private static final Duration HALF_A_MINUTE = Duration.ofSeconds(30);

    private final String action;
    private final String code;
    private final int httpStatus;
    private final String requestId;
    private final String what;
    private final Optional<Duration> retryAfter;

    /**
     * @param action the API's name, such as {@code AttachNetworkInterface}
     * @param code the cloud's code, or one of the SDK's own ({@code SDK.ReadTimeout})
     * @param httpStatus 400 for any refusal, 500 for any failure of the cloud, 0 if no answer was understood
     * @param requestId the cloud's name of the call, or empty text
     * @param message why; what a URL in it carries after the question mark is left out, as it holds keys
     */
    public EcsException(String action, String code, int httpStatus, String requestId, String message) {
        this(action, code, httpStatus, requestId, UrlRedactor.withoutQuery(message), Optional.empty());
    }

    private EcsException(
            String action, String code, int httpStatus, String requestId, String what, Optional<Duration> retryAfter) {
        super(action + " failed: " + code + ": " + what + (requestId.isEmpty() ? "" : " (request " + requestId + ")"));
        this.action = action;
        this.code = code;
        this.httpStatus = httpStatus;
        this.requestId = requestId;
        this.what = what;
        this.retryAfter = retryAfter;
    }

    /** The same, with the time after which asking again makes sense. */
    public EcsException retryAfter(Duration time) {
        return copy(what, Optional.of(time));
    }

    /** The same, with a word on what to do about it; one that says so already stays as it is. */
    public EcsException advising(String advice) {
        return advice.isEmpty() || what.endsWith(advice) ? this : copy(what + "; " + advice, retryAfter);
    }

    private EcsException copy(String text, Optional<Duration> after) {
        EcsException copy = new EcsException(action, code, httpStatus, requestId, text, after);
        copy.setStackTrace(getStackTrace());
        return copy;
    }

    public String action() {
        return action;
    }

    public String code() {
        return code;
    }

    public int httpStatus() {
        return httpStatus;
    }

    public String requestId() {
        return requestId;
    }

    public Map<String, String> attributes() {
        return Map.of("code", code, "requestId", requestId);
    }

    public Failed asFailed() {
        return new Failed(kind(), getMessage(), retryAfter());
    }

    public FactoryException asFactoryException() {
        return new FactoryException(kind(), getMessage(), this);
    }

    public ErrorKind kind() {
        return ErrorReactions.of(code, httpStatus).kind();
    }

    public ErrorReaction reaction() {
        return ErrorReactions.of(code, httpStatus).reaction();
    }

    /** After which time asking again makes sense: what the client knows of it, else what is usual for this kind. */
    public Duration retryAfter() {
        return retryAfter.orElseGet(() -> switch (kind()) {
            case THROTTLED -> HALF_A_MINUTE;
            case QUOTA_EXHAUSTED, UNAUTHORIZED, MISCONFIGURED -> UNTIL_CHANGED;
            default -> Duration.ofSeconds(1);
        });
    }

    /** Whether the cloud may have done what was asked, or may still do it. A refusal (4xx) has done nothing. */
    public boolean outcomeUnknown() {
        return httpStatus == 0 || httpStatus >= 500;
    }

    /**
     * What may be shown of the addresses that a call went to. The query of a signed call holds the access key id, the
     * signature and often the token of a session: it belongs in no message, event or log.
     */
    public static final class UrlRedactor {
        /** From the question mark on, if a name and a value follow. */
        private static final Pattern QUERY = Pattern.compile("/?\\?[^\\s?]*=\\S*");
        /** What a torn or oddly written text may hold without the question mark before it. */
        private static final Pattern SECRET = Pattern.compile(
                "(?:[?&,;]\\s*)?\\b(?:OSS)?(?:AccessKeyId|AccessKeySecret|SecurityToken|Signature|SignatureNonce)=[^\\s&]*",
                Pattern.CASE_INSENSITIVE);

        private static final Pattern HOST = Pattern.compile("https?://([^\\s/?#]+)");

        private UrlRedactor() {}

        public static String withoutQuery(String text) {
            // every refusal comes by here, and hardly one has a query
            return text.indexOf('=') < 0
                    ? text
                    : SECRET.matcher(QUERY.matcher(text).replaceAll("")).replaceAll("");
        }

        /** Host and port of the first URL in the text; {@code otherwise} if there is none. */
        public static String host(String text, String otherwise) {
            Matcher host = HOST.matcher(text);
            return host.find() ? host.group(1) : otherwise;
        }
    }
}

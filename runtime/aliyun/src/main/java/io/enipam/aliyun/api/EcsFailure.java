package io.enipam.aliyun.api;

import io.enipam.sdk.ErrorKind;

/** A call of the cloud that did not work out. The message names action, code and request id, and holds no secret. */
public final class EcsFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;
    private final String code;
    private final int httpStatus;
    private final String requestId;

    /**
     * @param action the API's name, such as {@code AttachNetworkInterface}
     * @param code the cloud's code, or one of the SDK's own ({@code SDK.ReadTimeout})
     * @param httpStatus 400 for any refusal, 500 for any failure of the cloud, 0 if no answer was understood
     * @param requestId the cloud's name of the call, or empty text
     */
    public EcsFailure(String action, String code, int httpStatus, String requestId, String message) {
        super(action + " failed: " + code + ": " + message
                + (requestId.isEmpty() ? "" : " (request " + requestId + ")"));
        this.action = action;
        this.code = code;
        this.httpStatus = httpStatus;
        this.requestId = requestId;
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

    public ErrorKind kind() {
        return ErrorReactions.of(code, httpStatus).kind();
    }

    public Reaction reaction() {
        return ErrorReactions.of(code, httpStatus).reaction();
    }

    /** Whether the cloud may have done what was asked, or may still do it. A refusal (4xx) has done nothing. */
    public boolean outcomeUnknown() {
        return httpStatus == 0 || httpStatus >= 500;
    }
}

package io.enipam.cni;

import io.enipam.cni.FrameCodec.CniResponse;

/** Why a call of the front is over before the daemon has answered it, as a CNI error tells it. */
@SuppressWarnings("serial") // is never written
final class CallFailedException extends Exception {
    /** The daemon's answer cannot be had: try again later. */
    static final int UNANSWERED = 11;

    private final int code;
    private final String details;

    /**
     * @param code of the CNI specification, section 5, "Error"
     * @param message what failed and why, on one line
     * @param details what to do, on one line
     */
    CallFailedException(int code, String message, String details) {
        super(message);
        this.code = code;
        this.details = details;
    }

    CniResponse answer(String cniVersion) {
        return CniResponse.of(
                1,
                "{\"cniVersion\":\"" + cniVersion + "\",\"code\":" + code + ",\"msg\":\""
                        + plain(String.valueOf(getMessage())) + "\",\"details\":\"" + plain(details) + "\"}\n");
    }

    /** Makes a text fit for JSON: what would need an escape becomes one character. */
    private static String plain(String text) {
        return text.replaceAll("[^ -~]|\\\\", "?").replace('"', '\'');
    }

    int code() {
        return code;
    }
}

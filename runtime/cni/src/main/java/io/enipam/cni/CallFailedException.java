package io.enipam.cni;

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

    /** The answer that says so. */
    CniResponse answer(String cniVersion) {
        return CniJson.answer(
                1,
                "{\"cniVersion\":\"" + cniVersion + "\",\"code\":" + code + ",\"msg\":\""
                        + CniJson.plain(String.valueOf(getMessage())) + "\",\"details\":\"" + CniJson.plain(details)
                        + "\"}\n");
    }

    int code() {
        return code;
    }
}

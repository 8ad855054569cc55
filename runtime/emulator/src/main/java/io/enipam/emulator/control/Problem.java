package io.enipam.emulator.control;

import io.enipam.emulator.http.FullReply;
import java.util.Map;

/** An answer that says no, as problem details (RFC 9457): status, title, detail. */
final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final Map<Integer, String> TITLES = Map.of(
            400, "Bad Request",
            403, "Forbidden",
            404, "Not Found",
            405, "Method Not Allowed",
            409, "Conflict",
            413, "Content Too Large",
            415, "Unsupported Media Type",
            500, "Internal Server Error");

    private final int status;

    Problem(int status, String detail) {
        super(detail, null, false, false);
        this.status = status;
    }

    static Problem of(ControlException refusal) {
        int status = switch (refusal.kind()) {
            case INVALID -> 400;
            case NOT_FOUND -> 404;
            case CONFLICT -> 409;
        };
        return new Problem(status, String.valueOf(refusal.getMessage()));
    }

    FullReply reply() {
        String body = ControlJson.object()
                .put("type", "about:blank")
                .put("title", TITLES.getOrDefault(status, "Error"))
                .put("status", status)
                .put("detail", getMessage())
                .toPrettyString();
        return new FullReply(status, "application/problem+json", body + "\n");
    }
}

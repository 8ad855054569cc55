package io.enipam.sdk;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The answer to an {@link HttpRequest}. Immutable. */
public final class HttpReply {
    private final int status;
    private final String contentType;
    private final byte[] body;

    private HttpReply(int status, String contentType, byte[] body) {
        if (status < 200 || status > 599 || !contentType.matches("[ -~]{1,200}")) {
            throw new IllegalArgumentException("a reply of status " + status + " and type " + contentType);
        }
        this.status = status;
        this.contentType = contentType;
        this.body = body;
    }

    /**
     * @param status 200 to 599
     * @param body is copied
     */
    public static HttpReply of(int status, String contentType, byte[] body) {
        return new HttpReply(status, contentType, body.clone());
    }

    /** Status 200 and this JSON. */
    public static HttpReply json(String json) {
        return new HttpReply(200, "application/json", json.getBytes(UTF_8));
    }

    public static HttpReply text(int status, String text) {
        return new HttpReply(status, "text/plain; charset=utf-8", text.getBytes(UTF_8));
    }

    public int status() {
        return status;
    }

    public String contentType() {
        return contentType;
    }

    /** A copy. */
    public byte[] body() {
        return body.clone();
    }

    /** The body as UTF-8. */
    public String text() {
        return new String(body, UTF_8);
    }

    /** For messages; a body may be long. */
    @Override
    public String toString() {
        return "HttpReply[" + status + ", " + contentType + ", " + body.length + " bytes]";
    }
}

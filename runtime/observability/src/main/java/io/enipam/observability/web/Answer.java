package io.enipam.observability.web;

import java.nio.charset.StandardCharsets;

/** What a page says. Its bytes are not copied: who makes it and who sends it leave them as they are. */
public final class Answer {
    private static final String TEXT = "text/plain; charset=utf-8";

    private final int status;
    private final String contentType;
    private final byte[] body;

    /**
     * Says it.
     *
     * @param status of HTTP
     * @param contentType of the body
     */
    public Answer(int status, String contentType, byte[] body) {
        this.status = status;
        this.contentType = contentType;
        this.body = body;
    }

    /** Plain text. */
    public static Answer text(int status, String text) {
        return new Answer(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    public int status() {
        return status;
    }

    public String contentType() {
        return contentType;
    }

    public byte[] body() {
        return body;
    }
}

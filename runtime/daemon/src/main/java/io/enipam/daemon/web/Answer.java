package io.enipam.daemon.web;

import java.nio.charset.StandardCharsets;

/**
 * What a page says.
 *
 * @param status of HTTP
 * @param contentType of the body
 */
public record Answer(int status, String contentType, byte[] body) {
    static final String TEXT = "text/plain; charset=utf-8";

    /** Plain text. */
    public static Answer text(int status, String text) {
        return new Answer(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }
}

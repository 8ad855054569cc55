package io.enipam.observability.web;

import java.nio.charset.StandardCharsets;

/** Answers one path. Thread-safe; may block, on a lane of its own kind. */
@FunctionalInterface
public interface Page {
    /**
     * Says it.
     *
     * @param asked what of the request a page may go by
     * @throws Exception is a bug, told as status 500 without its text
     */
    Response answer(Asked asked) throws Exception;

    /**
     * What of a request a page may go by.
     *
     * @param verbose whether {@code ?verbose} was asked for
     * @param accept the header {@code Accept}, or empty text
     */
    record Asked(boolean verbose, String accept) {}

    /** What a page says. Its bytes are not copied: who makes it and who sends it leave them as they are. */
    public static final class Response {
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
        public Response(int status, String contentType, byte[] body) {
            this.status = status;
            this.contentType = contentType;
            this.body = body;
        }

        /** Plain text. */
        public static Response text(int status, String text) {
            return new Response(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
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
}

package io.enipam.observability.web;

import java.nio.charset.StandardCharsets;

/** Serves one path. Thread-safe; may block, on a lane of its own kind. */
@FunctionalInterface
public interface Page {
    /**
     * Renders the page.
     *
     * @param asked the parts of the request that a page may use
     * @throws Exception on a bug, answered with status 500 without its text
     */
    Response answer(Asked asked) throws Exception;

    /**
     * The parts of a request that a page may use.
     *
     * @param verbose whether the request has {@code ?verbose}
     * @param accept the header {@code Accept}, or empty text
     */
    record Asked(boolean verbose, String accept) {}

    /** A page's answer. Its bytes are not copied: neither producer nor sender may change them. */
    record Response(int status, String contentType, byte[] body) {
        public static Response text(int status, String text) {
            return new Response(status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
        }
    }
}

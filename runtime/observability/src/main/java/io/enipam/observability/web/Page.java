package io.enipam.observability.web;

/** Answers one path. Thread-safe; may block, on a lane of its own kind. */
@FunctionalInterface
public interface Page {
    /**
     * Says it.
     *
     * @param asked what of the request a page may go by
     * @throws Exception is a bug, told as status 500 without its text
     */
    Answer answer(Asked asked) throws Exception;

    /**
     * What of a request a page may go by.
     *
     * @param verbose whether {@code ?verbose} was asked for
     * @param accept the header {@code Accept}, or empty text
     */
    record Asked(boolean verbose, String accept) {}
}

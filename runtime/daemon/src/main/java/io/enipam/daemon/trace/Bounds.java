package io.enipam.daemon.trace;

/**
 * How much is remembered.
 *
 * @param stories of each sort: operations of sandboxes, ways of addresses, calls of the cloud; 0 for none at all
 * @param bytes of all sorts together, about
 */
public record Bounds(int stories, long bytes) {
    /** No single pod, and no single API, has more than this part of a sort: a burst of one leaves room for the others. */
    static final int SHARE = 16;

    int ofOne() {
        return Math.max(1, stories / SHARE);
    }
}

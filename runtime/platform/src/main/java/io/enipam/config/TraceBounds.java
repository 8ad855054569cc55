package io.enipam.config;

/**
 * How much is remembered.
 *
 * @param stories of each sort: operations of sandboxes, ways of addresses, calls of the cloud; 0 for none at all
 * @param bytes of all sorts together, about
 */
public record TraceBounds(int stories, long bytes) {
    /** No single pod, and no single API, has more than this part of a sort: a burst of one leaves room for the others. */
    public static final int SHARE = 16;

    public int ofOne() {
        return Math.max(1, stories / SHARE);
    }
}

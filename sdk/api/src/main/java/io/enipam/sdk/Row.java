package io.enipam.sdk;

/**
 * One row of a {@link Table}.
 *
 * @param revision the commit that put it: grows from commit to commit, over restarts as well; 0 for a row that this
 *     transaction has put
 */
public record Row<V>(String key, V value, long revision) {}

package io.enipam.store;

/**
 * A record of a damaged database. It was written as it is here: its checksum holds.
 *
 * @param value what was written
 * @param generation the last commit that is known to have left it so
 * @param certain whether every later commit is known, too. If not, it may be stale: one of the commits that are missing may
 *     have changed or removed it
 */
public record SalvagedRecord<T>(T value, long generation, boolean certain) {}

package io.enipam.engine.pool;

import java.time.Instant;

/**
 * A resource that a factory was asked for and that has not come yet, for inspection.
 *
 * @param token the name of the request, as in the database's intents
 * @param factory who makes it
 * @param since when it was asked for
 * @param until when the pool counts on it no more
 */
public record PendingCreate(String token, String factory, Instant since, Instant until) {}

package io.enipam.store.record;

import org.jspecify.annotations.Nullable;

/**
 * One change as it stands in the journal.
 *
 * @param key {@code BUCKET/KEY}
 * @param value the record's JSON, or null to remove it
 */
public record Edit(String key, byte @Nullable [] value) {}

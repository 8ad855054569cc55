package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * What the database says of itself, version 1.
 *
 * @param format the version of buckets and files: what may be in them
 * @param created ISO 8601 instant
 */
@JsonPropertyOrder({"v", "format", "created"})
record DatabaseJson(
        @JsonProperty(value = "v", required = true) int v,
        @JsonProperty(value = "format", required = true) int format,
        @JsonProperty(value = "created", required = true) String created) {
    static final String KEY = "database";
    /**
     * 1 had one bucket {@code holds} and journal files without an epoch. 2 has {@code reservations} and {@code quarantine}
     * instead, {@code pods}, and epochs.
     */
    static final int FORMAT = 2;
}

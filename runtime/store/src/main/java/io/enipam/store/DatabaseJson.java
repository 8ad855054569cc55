package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/**
 * What the database says of itself, version 1.
 *
 * @param format the version of the files' layout
 * @param created ISO 8601 instant
 */
@JsonPropertyOrder({"v", "format", "created"})
record DatabaseJson(
        @JsonProperty(value = "v", required = true) int v,
        @JsonProperty(value = "format", required = true) int format,
        @JsonProperty(value = "created", required = true) String created) {
    static final String KEY = "database";
    static final int FORMAT = 1;
}

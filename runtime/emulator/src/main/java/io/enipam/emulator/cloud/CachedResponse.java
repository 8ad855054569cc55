package io.enipam.emulator.cloud;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/**
 * The answer that was given to a ClientToken, kept so that a repeated call gets it again.
 *
 * @param fingerprint of the call's parameters
 * @param body the answer without its request id
 * @param at when
 */
public record CachedResponse(String fingerprint, JsonNode body, Instant at) {}

package io.enipam.diagnostics.doctor.fact;

import java.time.Instant;
import java.util.Optional;

/**
 * What calls of the cloud are signed with, without the keys.
 *
 * @param place where they come from
 * @param expires when they end, if they do
 * @param trouble why there are none, if so
 */
public record KeyFacts(String place, Optional<Instant> expires, Optional<String> trouble) {}

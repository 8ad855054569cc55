package io.enipam.diagnostics.doctor.fact;

import java.util.Optional;

/**
 * The metadata service, asked now.
 *
 * @param instance what it says this is
 * @param expected the instance this daemon is of
 * @param trouble why it does not answer, if so
 */
public record MetadataFacts(String instance, String expected, Optional<String> trouble) {}

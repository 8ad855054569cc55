package io.enipam.diagnostics.doctor.fact;

/**
 * Who talks with whom.
 *
 * @param daemon this program's version
 * @param client the version of who asks; empty text if it does not say
 */
public record VersionFacts(String daemon, String client) {}

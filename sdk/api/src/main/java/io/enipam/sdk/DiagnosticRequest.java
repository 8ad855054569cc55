package io.enipam.sdk;

/**
 * One run of a {@link Diagnostic}.
 *
 * @param arguments the values of its parameters
 * @param pool the pool at this moment
 * @param settings the plugin's settings
 */
public record DiagnosticRequest(Settings arguments, PoolSnapshot pool, Settings settings) {}

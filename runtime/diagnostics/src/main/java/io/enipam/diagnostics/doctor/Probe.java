package io.enipam.diagnostics.doctor;

/** Gathers one part of the facts. */
@FunctionalInterface
public interface Probe<T extends Record> {
    /**
     * Looks; may block for some seconds.
     *
     * @throws MissingFact if there is no such thing in this build or configuration
     * @throws Exception if it cannot be had now
     */
    T gather() throws Exception;
}

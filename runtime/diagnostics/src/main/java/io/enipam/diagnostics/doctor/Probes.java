package io.enipam.diagnostics.doctor;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Who gathers which part. Built once, then only read. */
public final class Probes {
    private final Map<Class<?>, Probe<?>> byPart = new LinkedHashMap<>();

    /** Adds the one that gathers this part. */
    public <T extends Record> Probes with(Class<T> part, Probe<T> probe) {
        byPart.put(part, probe);
        return this;
    }

    int size() {
        return byPart.size();
    }

    <T extends Record> Optional<Probe<T>> of(Class<T> part) {
        @SuppressWarnings("unchecked") // with() ties the two together
        Probe<T> probe = (Probe<T>) byPart.get(part);
        return Optional.ofNullable(probe);
    }

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
}

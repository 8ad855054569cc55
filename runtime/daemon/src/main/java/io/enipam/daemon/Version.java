package io.enipam.daemon;

import java.util.Optional;

/** The version in the jar's manifest; classes that run without a jar are a developer's. */
final class Version {
    private Version() {}

    static String of(Class<?> part) {
        return Optional.ofNullable(part.getPackage().getImplementationVersion()).orElse("development");
    }
}

package io.enipam.config;

import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.sdk.Role;
import java.util.Optional;
import java.util.Set;

/**
 * One row of the settings table.
 *
 * @param key the dotted path in its file
 * @param type how its value is read, checked and shown
 * @param unit what the value counts: addresses, ENIs; empty text if the value includes it
 * @param doc what it means, one sentence
 * @param sameAs our key for which a terway key stands; ours wins when both are set
 */
public record Setting<T>(
        String key,
        SettingsFile file,
        ValueType<T> type,
        Defaults<T> defaults,
        String unit,
        String doc,
        Handling handling,
        Optional<Setting<T>> sameAs) {
    /** Whether a ConfigMap may set it. */
    enum ReloadScope {
        /** A change applies at once. */
        LIVE,
        /** A change applies with the next start. */
        RESTART,
        /** Only a file may set it. */
        FILES
    }

    /** The value if no file sets it; with {@code --emulate} or in role CLUSTER it may be another one. */
    record Defaults<T>(T usual, Optional<T> sandbox, Optional<T> cluster) {
        T of(Role role, boolean emulated) {
            Optional<T> other = emulated ? sandbox : Optional.empty();
            return other.or(() -> role == Role.CLUSTER ? cluster : Optional.empty())
                    .orElse(usual);
        }
    }

    /**
     * How the daemon treats a setting.
     *
     * @param secret whether its value is never shown
     * @param obeyed whether the daemon acts on it; other known terway keys are accepted and reported
     * @param scope whether a ConfigMap may set it
     * @param objection why a ConfigMap may not set it; empty text if it may
     * @param roles of the daemons that have it
     */
    record Handling(boolean secret, boolean obeyed, ReloadScope scope, String objection, Set<Role> roles) {}

    T usual() {
        return defaults.usual();
    }

    /** Its own type, or that of the setting for which it stands. */
    ReloadScope scope() {
        return sameAs.map(Setting::scope).orElse(handling.scope);
    }

    Optional<String> objection() {
        return Optional.of(handling.objection).filter(why -> !why.isEmpty());
    }

    boolean isOf(Role role) {
        return handling.roles.contains(role);
    }

    boolean secret() {
        return handling.secret;
    }

    boolean obeyed() {
        return handling.obeyed;
    }

    /** The allowed values: "a whole number, 0 to 100 (addresses)". */
    String allowed() {
        return unit.isEmpty() ? type.allowed() : type.allowed() + " (" + unit + ")";
    }

    /** What it means, and of which roles it is, unless of role NODE alone. */
    String meaning() {
        if (!isOf(Role.CLUSTER)) {
            return doc;
        }
        return doc + (isOf(Role.NODE) ? " Of both roles." : " Of role cluster alone.");
    }

    String fullDoc() {
        String stands = sameAs.map(s -> " Terway's name of " + s.key() + ".").orElse("");
        return meaning() + stands + " Allowed: " + allowed() + "." + (obeyed() ? "" : " Accepted; not acted on yet.");
    }

    /** Two settings are the same only if they are the same object. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}

package io.enipam.config;

import io.enipam.config.ConfigFile.SettingsFile;
import java.util.Optional;

/**
 * One row of the settings table.
 *
 * @param key the dotted path in its file
 * @param file the file it belongs in
 * @param type how its value is read, checked and shown
 * @param defaults what holds where no file sets it
 * @param unit what the value counts: addresses, ENIs; empty text where the value says it
 * @param doc what it means, one sentence
 * @param handling how the daemon treats it
 * @param sameAs our key that a key of terway's stands for; ours wins when both are set
 */
record Setting<T>(
        String key,
        SettingsFile file,
        ValueType<T> type,
        Defaults<T> defaults,
        String unit,
        String doc,
        Handling handling,
        Optional<Setting<T>> sameAs) {
    /** How far a ConfigMap reaches. */
    enum ReloadScope {
        /** What it says is in force at once. */
        LIVE,
        /** In force with the next start. */
        RESTART,
        /** A file's alone. */
        FILES
    }

    /**
     * What holds where no file sets a value.
     *
     * @param sandbox with {@code --emulate}, where it differs
     */
    record Defaults<T>(T usual, Optional<T> sandbox) {}

    /**
     * How the daemon treats a setting.
     *
     * @param secret whether its value is never shown
     * @param obeyed whether the daemon acts on it; a known key of terway's that it does not act on is accepted and says so
     * @param scope how far a ConfigMap reaches
     * @param objection why a ConfigMap may not say it; empty text if it may
     */
    record Handling(boolean secret, boolean obeyed, ReloadScope scope, String objection) {}

    /** The default. */
    T usual() {
        return defaults.usual();
    }

    /** Its own, or that of the setting it stands for. */
    ReloadScope scope() {
        return sameAs.map(Setting::scope).orElse(handling.scope);
    }

    /** Why a ConfigMap may not say it; empty if it may. */
    Optional<String> objection() {
        return Optional.of(handling.objection).filter(why -> !why.isEmpty());
    }

    boolean secret() {
        return handling.secret;
    }

    boolean obeyed() {
        return handling.obeyed;
    }

    /** What may be written: "a whole number, 0 to 100 (addresses)". */
    String allowed() {
        return unit.isEmpty() ? type.allowed() : type.allowed() + " (" + unit + ")";
    }

    /** Meaning, what is allowed, and whether it is obeyed. */
    String fullDoc() {
        String stands = sameAs.map(s -> " Terway's name of " + s.key() + ".").orElse("");
        return doc + stands + " Allowed: " + allowed() + "." + (obeyed() ? "" : " Accepted; not acted on yet.");
    }
}

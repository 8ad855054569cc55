package io.enipam.config;

import java.util.Optional;

/**
 * One row of the settings table.
 *
 * @param key the dotted path in its file
 * @param file the file it belongs in
 * @param type how its value is read, checked and shown
 * @param usual the default
 * @param sandbox the default with {@code --emulate}, where it differs
 * @param unit what the value counts: addresses, ENIs; empty text where the value says it
 * @param doc what it means, one sentence
 * @param secret whether its value is never shown
 * @param obeyed whether the daemon acts on it; a known key of terway's that it does not act on is accepted and says so
 * @param sameAs our key that a key of terway's stands for; ours wins when both are set
 */
record Setting<T>(
        String key,
        SettingsFile file,
        ValueType<T> type,
        T usual,
        Optional<T> sandbox,
        String unit,
        String doc,
        boolean secret,
        boolean obeyed,
        Optional<Setting<T>> sameAs) {

    static <T> Setting<T> ours(String key, ValueType<T> type, T usual, String unit, String doc) {
        return new Setting<>(
                key, SettingsFile.ENIPAM_YAML, type, usual, Optional.empty(), unit, doc, false, true, Optional.empty());
    }

    static <T> Setting<T> terways(String key, ValueType<T> type, T usual, String unit, String doc) {
        return new Setting<>(
                key, SettingsFile.ENI_JSON, type, usual, Optional.empty(), unit, doc, false, true, Optional.empty());
    }

    Setting<T> inSandbox(T value) {
        return new Setting<>(key, file, type, usual, Optional.of(value), unit, doc, secret, obeyed, sameAs);
    }

    Setting<T> asSecret() {
        return new Setting<>(key, file, type, usual, sandbox, unit, doc, true, obeyed, sameAs);
    }

    Setting<T> notObeyedYet() {
        return new Setting<>(key, file, type, usual, sandbox, unit, doc, secret, false, sameAs);
    }

    Setting<T> standsFor(Setting<T> other) {
        return new Setting<>(key, file, type, usual, sandbox, unit, doc, secret, obeyed, Optional.of(other));
    }

    /** What a person may write: "a whole number, 0 to 100 (addresses)". */
    String allowed() {
        return unit.isEmpty() ? type.allowed() : type.allowed() + " (" + unit + ")";
    }

    /** Meaning, what is allowed, and whether it is obeyed. */
    String fullDoc() {
        String stands = sameAs.map(s -> " Terway's name of " + s.key() + ".").orElse("");
        return doc + stands + " Allowed: " + allowed() + "." + (obeyed ? "" : " Accepted; not acted on yet.");
    }
}

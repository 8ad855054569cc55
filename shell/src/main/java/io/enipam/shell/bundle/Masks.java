package io.enipam.shell.bundle;

import io.enipam.security.SecretRedactor;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Takes secrets out of text: those that are known, wherever they stand, and what looks like one. Text that was JSON stays JSON.
 *
 * <p>The daemon masks what it knows to be secret; this is the second net, also for what does not come from the daemon. It
 * rather takes too much.
 */
public final class Masks {
    private static final int SHORTEST_KNOWN = 6;

    private final List<String> known;

    private Masks(List<String> known) {
        this.known = known;
    }

    /** Knows as secrets the values of the variables that are named like one. */
    public static Masks of(Map<String, String> environment) {
        return new Masks(environment.entrySet().stream()
                .filter(variable -> SecretRedactor.isSecretName(variable.getKey()))
                .map(Map.Entry::getValue)
                .filter(value -> value.length() >= SHORTEST_KNOWN)
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList());
    }

    /** The text without secrets. */
    public String masked(String text) {
        String masked = text;
        for (String secret : known) {
            masked = masked.replace(secret, SecretRedactor.HIDDEN);
        }
        return SecretRedactor.redact(masked);
    }
}

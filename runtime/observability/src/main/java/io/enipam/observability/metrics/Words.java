package io.enipam.observability.metrics;

import java.util.Locale;

/** Constants as values of labels. */
final class Words {
    private Words() {}

    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}

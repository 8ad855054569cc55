package io.enipam.store.record;

import java.util.Locale;

/** The families of records. The names are part of the stored format. */
public enum Bucket {
    HOLDS,
    INTENTS,
    LEASES;

    /** The name in the files and in dumps. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The key of a record over all buckets. */
    public String key(String key) {
        return text() + "/" + key;
    }

    /**
     * The bucket of a key over all buckets.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Bucket of(String fullKey) {
        return valueOf(fullKey.substring(0, fullKey.indexOf('/')).toUpperCase(Locale.ROOT));
    }
}

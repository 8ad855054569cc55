package io.enipam.store.record;

import io.enipam.store.StoreException;
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
     * @throws StoreException if this program does not know it: a later version wrote it
     */
    public static Bucket of(String fullKey) {
        for (Bucket bucket : values()) {
            if (fullKey.startsWith(bucket.text() + "/")) {
                return bucket;
            }
        }
        throw new StoreException(
                "the database has a record '" + fullKey + "' of a bucket this program does not know",
                "start the version of enipam that wrote it");
    }
}

package io.enipam.store;

import io.enipam.store.StoreException.Reason;
import java.nio.file.Path;

/** The one wording for files that are not what was written. */
final class DamageErrors {
    static final String HINT =
            "nothing was changed: 'enipamd --recover --dry-run' tells what can be rebuilt from what is left of it and"
                    + " from the kernel, the API server and the cloud, 'enipamd --recover' does it and keeps the"
                    + " damaged files aside; or put a backup of the whole directory in its place";

    private DamageErrors() {}

    static StoreException at(Path file, long offset, String what) {
        return new StoreException(offset, file + " is damaged at offset " + offset + ": " + what, HINT, null);
    }

    static StoreException at(Path file, long offset, String what, Throwable cause) {
        return new StoreException(offset, file + " is damaged at offset " + offset + ": " + what, HINT, cause);
    }

    /** Damage that has no offset, such as a file that is missing. */
    static StoreException of(String message) {
        return new StoreException(Reason.DAMAGED, message, HINT);
    }

    static StoreException of(String message, Throwable cause) {
        return new StoreException(Reason.DAMAGED, message, HINT, cause);
    }
}

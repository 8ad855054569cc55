package io.enipam.store;

import java.nio.file.Path;

/** The one wording for files that are not what was written. */
final class Damage {
    static final String HINT =
            "nothing was changed: keep a copy of the directory, then put a backup of the whole directory"
                    + " in its place, or move the directory away to start with an empty database";

    private Damage() {}

    static StoreException at(Path file, long offset, String what) {
        return new StoreException(file + " is damaged at offset " + offset + ": " + what, HINT);
    }

    static StoreException at(Path file, long offset, String what, Throwable cause) {
        return new StoreException(file + " is damaged at offset " + offset + ": " + what, HINT, cause);
    }
}

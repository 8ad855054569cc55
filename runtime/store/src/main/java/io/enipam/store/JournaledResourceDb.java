package io.enipam.store;

import io.enipam.engine.port.ResourceDb;
import java.nio.file.Path;

/** Opens the resource database of a directory. */
public final class JournaledResourceDb {
    private JournaledResourceDb() {}

    /**
     * Opens or creates the database.
     *
     * @throws StoreException if the directory cannot be used, is locked by another process, or is damaged; the message
     *     says what and where, the hint what to do
     */
    public static ResourceDb open(Path directory) {
        throw new StoreException("not built", directory.toString());
    }
}

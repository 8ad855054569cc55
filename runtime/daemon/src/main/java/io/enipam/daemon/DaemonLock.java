package io.enipam.daemon;

import io.enipam.config.IoReason;
import io.enipam.store.LockFile;
import java.io.IOException;

/** Ensures one daemon for each directory. */
final class DaemonLock implements AutoCloseable {
    private final LockFile file;

    private DaemonLock(LockFile file) {
        this.file = file;
    }

    /**
     * Takes the lock.
     *
     * @throws StartupException if another daemon has it
     */
    static DaemonLock take(DaemonLayout layout) {
        try {
            return new DaemonLock(LockFile.take(layout.lock()));
        } catch (LockFile.InUseException e) {
            throw new StartupException(
                    layout.root().orElse(layout.run()) + " is in use by enipamd with " + e.holder()
                            + "; stop it, or choose another --root",
                    e);
        } catch (IOException e) {
            throw new StartupException(
                    layout.lock() + " cannot be locked: " + IoReason.of(e) + "; choose another --root", e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

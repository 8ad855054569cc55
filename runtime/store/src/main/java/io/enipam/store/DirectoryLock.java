package io.enipam.store;

import java.io.Closeable;
import java.io.IOException;

/** One process at a time: the lock of a database's directory, on the file {@code lock} in it. */
final class DirectoryLock implements Closeable {
    private final LockFile file;
    /** Whether no file in the directory can be another process's. */
    private volatile boolean settled = true;

    private DirectoryLock(LockFile file) {
        this.file = file;
    }

    /** @throws StoreException if another process, or this one, has the directory open */
    static DirectoryLock take(StoreDirectory store) throws IOException {
        return take(store, true);
    }

    /** The same without writing a byte: for one who looks at a directory and must leave it as it is. */
    static DirectoryLock takeUnsigned(StoreDirectory store) throws IOException {
        return take(store, false);
    }

    private static DirectoryLock take(StoreDirectory store, boolean sign) throws IOException {
        try {
            return new DirectoryLock(LockFile.take(store.lock(), sign));
        } catch (LockFile.InUseException e) {
            throw new StoreException(
                    store.path() + " is in use by another process (" + e.holder() + ")",
                    "stop that process, or use another directory",
                    e);
        }
    }

    /** See {@link LockFile#isLinked}; false from {@link #renew} until {@link #settled} as well. */
    boolean isLinked() throws IOException {
        return settled && file.isLinked();
    }

    /**
     * Takes the lock of the file that has the name now, see {@link LockFile#renew}.
     *
     * @return whether no other process can have written to the directory: it is false from the moment another file was locked until
     *     {@link #settled}
     */
    boolean renew() throws IOException {
        if (!file.renew()) {
            settled = false;
        }
        return settled;
    }

    /** All files in the directory are this process's now. */
    void settled() {
        settled = true;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}

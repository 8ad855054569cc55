package io.enipam.daemon;

import io.enipam.daemon.config.IoReason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;

/**
 * One daemon a directory. The lock is the kernel's and ends with the process, however that ends; the pid in the file is
 * for people. The file stays: removing it would let two daemons lock two files of one name.
 */
final class DaemonLock implements AutoCloseable {
    private final FileChannel channel;

    private DaemonLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the lock.
     *
     * @throws StartupException if another daemon has it
     */
    static DaemonLock take(DaemonLayout layout) {
        try {
            FileChannel channel = FileChannel.open(
                    layout.lock(), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            if (!locked(channel)) {
                String pid = content(channel);
                channel.close();
                throw new StartupException(layout.root().orElse(layout.run()) + " is in use by enipamd with pid " + pid
                        + "; stop it, or choose another --root");
            }
            channel.truncate(0);
            channel.write(
                    ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
            return new DaemonLock(channel);
        } catch (IOException e) {
            throw new StartupException(
                    layout.lock() + " cannot be locked: " + IoReason.of(e) + "; choose another --root", e);
        }
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            // another daemon in this very process has it, which the JVM tells in this way
            return false;
        }
    }

    private static String content(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(32);
        channel.read(text, 0);
        return StandardCharsets.US_ASCII.decode(text.flip()).toString().strip();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process of its own that locks a file until it is killed. */
final class LockHolder implements AutoCloseable {
    private final Process process;

    private LockHolder(Process process) {
        this.process = process;
    }

    static LockHolder exclusive(Path file) throws IOException {
        return start(file, "exclusive");
    }

    /** As every user can who may read the file. */
    static LockHolder shared(Path file) throws IOException {
        return start(file, "shared");
    }

    private static LockHolder start(Path file, String kind) throws IOException {
        Process process = ChildJvm.start(LockHolder.class, file.toString(), kind);
        String line = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)).readLine();
        if (!"locked".equals(line)) {
            throw new IOException("the process did not lock " + file);
        }
        return new LockHolder(process);
    }

    /** @param args the file, and {@code shared} or {@code exclusive} */
    public static void main(String[] args) throws Exception {
        boolean shared = args[1].equals("shared");
        FileChannel channel =
                FileChannel.open(Path.of(args[0]), shared ? StandardOpenOption.READ : StandardOpenOption.WRITE);
        if (channel.tryLock(0, Long.MAX_VALUE, shared) == null) {
            System.out.println("refused");
            return;
        }
        System.out.println("locked");
        Thread.sleep(600_000);
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}

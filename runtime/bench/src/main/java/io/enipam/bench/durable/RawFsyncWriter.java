package io.enipam.bench.durable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** As many bytes as a lease's commit takes, written to a file that was filled before, and forced: what the disk can do. */
final class RawFsyncWriter implements DurableWriter {
    private static final int FILE_BYTES = 8 << 20;

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer record;
    private long end;

    RawFsyncWriter(Path directory, int bytes) throws IOException {
        this.file = directory.resolve("bare-force");
        this.channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        this.record = ByteBuffer.allocateDirect(bytes);
        ByteBuffer zeroes = ByteBuffer.allocateDirect(1 << 16);
        for (long at = 0; at < FILE_BYTES; at += zeroes.capacity()) {
            channel.write(zeroes.clear(), at);
        }
        channel.force(true);
    }

    @Override
    public String name() {
        return "bare force";
    }

    @Override
    public void put(int caller, int index) throws IOException {
        if (end + record.capacity() > FILE_BYTES) {
            end = 0;
        }
        record.clear();
        while (record.hasRemaining()) {
            end += channel.write(record, end);
        }
        channel.force(false);
    }

    @Override
    public void clear(int caller, int index) {
        // the file is written over again and again
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.delete(file);
    }
}

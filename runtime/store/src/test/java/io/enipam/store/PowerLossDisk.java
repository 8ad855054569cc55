package io.enipam.store;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * A disk with a write cache: a file gets its bytes when it is forced. After a power loss, each sector of 512 bytes that
 * was written and not forced is new or old, by chance. Names are durable at once. Thread-safe.
 */
final class PowerLossDisk implements Disk {
    private static final int SECTOR = 512;

    private final Disk disk = new LocalDisk();
    /** By file: what each unforced sector will hold. */
    private final Map<Path, TreeMap<Long, byte[]>> cache = new HashMap<>();

    private final RandomGenerator random;
    private Optional<Loss> due = Optional.empty();

    PowerLossDisk(RandomGenerator random) {
        this.random = random;
    }

    private record Loss(Path directory, Path copy, CompletableFuture<Path> done) {}

    /** Copies the directory as it would be found if the power went when the next force begins. */
    synchronized CompletableFuture<Path> loseAtNextForce(Path directory, Path copy) {
        Loss loss = new Loss(directory, copy, new CompletableFuture<>());
        due = Optional.of(loss);
        return loss.done();
    }

    private void lose(Loss loss) {
        due = Optional.empty();
        try {
            Directories.copy(loss.directory(), loss.copy());
            for (Map.Entry<Path, TreeMap<Long, byte[]>> file : cache.entrySet()) {
                for (Map.Entry<Long, byte[]> sector : file.getValue().entrySet()) {
                    if (random.nextBoolean()) {
                        put(loss.copy().resolve(file.getKey().getFileName()), sector.getKey(), sector.getValue());
                    }
                }
            }
            loss.done().complete(loss.copy());
        } catch (IOException | RuntimeException e) {
            loss.done().completeExceptionally(e);
        }
    }

    @Override
    public synchronized DiskFile create(Path file) throws IOException {
        return new CachedFile(file, disk.create(file));
    }

    @Override
    public synchronized DiskFile open(Path file) throws IOException {
        return new CachedFile(file, disk.open(file));
    }

    @Override
    public byte[] read(Path file) throws IOException {
        return disk.read(file);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return disk.list(directory);
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public synchronized void delete(Path file) throws IOException {
        disk.delete(file);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        disk.forceDirectory(directory);
    }

    private static void put(Path file, long offset, byte[] sector) throws IOException {
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.seek(offset);
            out.write(sector);
        }
    }

    private final class CachedFile implements DiskFile {
        private final Path path;
        private final DiskFile file;
        private final TreeMap<Long, byte[]> sectors = new TreeMap<>();

        CachedFile(Path path, DiskFile file) {
            this.path = path;
            this.file = file;
            cache.put(path, sectors);
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            synchronized (PowerLossDisk.this) {
                for (long at = offset; bytes.hasRemaining(); at++) {
                    long start = at / SECTOR * SECTOR;
                    byte[] sector = sectors.get(start);
                    if (sector == null) {
                        sector = onDisk(start);
                        sectors.put(start, sector);
                    }
                    sector[(int) (at - start)] = bytes.get();
                }
            }
        }

        private byte[] onDisk(long start) throws IOException {
            byte[] sector = new byte[SECTOR];
            try (RandomAccessFile in = new RandomAccessFile(path.toFile(), "r")) {
                if (start < in.length()) {
                    in.seek(start);
                    in.readFully(sector);
                }
            }
            return sector;
        }

        @Override
        public void force() throws IOException {
            synchronized (PowerLossDisk.this) {
                due.ifPresent(PowerLossDisk.this::lose);
                for (Map.Entry<Long, byte[]> sector : sectors.entrySet()) {
                    file.write(ByteBuffer.wrap(sector.getValue()), sector.getKey());
                }
                sectors.clear();
            }
        }

        @Override
        public void close() throws IOException {
            synchronized (PowerLossDisk.this) {
                cache.remove(path, sectors);
                file.close();
            }
        }
    }
}

package io.enipam.store.testing;

import io.enipam.engine.testing.CrashPoint;
import io.enipam.store.Disk;
import io.enipam.store.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * The files of one directory, in memory, behind a page cache: a file's bytes are safe when the file is forced, its name when
 * the directory is, the directory's when its parent is. The
 * {@code after} methods give what the next process finds. A {@link CrashPoint} counts the operations that change something and ends the process at one.
 * Thread-safe.
 */
public final class SimulatedDisk implements Disk {
    private final Path directory;
    private final CrashPoint fate;
    private final Map<String, SimulatedFile> files = new TreeMap<>(); // by this
    private final Map<String, SimulatedFile> forcedNames = new TreeMap<>(); // by this
    private final List<NameChange> unforcedNames = new ArrayList<>(); // by this
    private boolean directoryForced; // by this
    private Optional<Consumer<String>> watcher = Optional.empty(); // by this
    private volatile Gate gate = new Gate();

    /**
     * One change of the directory. It is made whole or not at all.
     *
     * @param loses the name that goes, if any
     * @param gains the name that the file has from now on, if any
     */
    private record NameChange(Optional<String> loses, Optional<String> gains, SimulatedFile file) {
        void make(Map<String, SimulatedFile> names) {
            loses.ifPresent(name -> names.remove(name, file));
            gains.ifPresent(name -> names.put(name, file));
        }

        NameChange on(UnaryOperator<SimulatedFile> copies) {
            return new NameChange(loses, gains, copies.apply(file));
        }
    }

    /** An empty disk. A directory that is really there is taken for one that has always been. */
    public SimulatedDisk(Path directory, CrashPoint fate) {
        this.directory = directory;
        this.fate = fate;
        this.directoryForced = Files.isDirectory(directory);
    }

    /** A disk with files, by name, that are safe. */
    public static SimulatedDisk with(Map<String, byte[]> contents, Path directory, CrashPoint fate) {
        SimulatedDisk disk = new SimulatedDisk(directory, fate);
        disk.directoryForced |= !contents.isEmpty();
        contents.forEach((name, bytes) -> {
            SimulatedFile file = new SimulatedFile(bytes.clone());
            disk.files.put(name, file);
            disk.forcedNames.put(name, file);
        });
        return disk;
    }

    /** What the next process finds when this one is killed: all of it, and what is not forced is still not forced. */
    public synchronized SimulatedDisk afterKill(Path to, CrashPoint next) {
        SimulatedDisk disk = new SimulatedDisk(to, next);
        Map<SimulatedFile, SimulatedFile> copies = new IdentityHashMap<>();
        forcedNames.forEach((name, file) -> disk.forcedNames.put(name, copy(copies, file)));
        disk.files.putAll(disk.forcedNames);
        for (NameChange change : unforcedNames) {
            NameChange same = change.on(file -> copy(copies, file));
            same.make(disk.files);
            disk.unforcedNames.add(same);
        }
        disk.directoryForced = directoryForced;
        return disk;
    }

    private static SimulatedFile copy(Map<SimulatedFile, SimulatedFile> copies, SimulatedFile file) {
        return copies.computeIfAbsent(file, SimulatedFile::copy);
    }

    /** The same when the power goes, and nothing was written but what was forced. */
    public SimulatedDisk afterPowerLoss(Path to, CrashPoint next) {
        return with(after(new PowerLoss(Optional.empty(), false)), to, next);
    }

    /** The same when all was written, forced or not, a moment before. */
    public SimulatedDisk afterLatePowerLoss(Path to, CrashPoint next) {
        return with(after(new PowerLoss(Optional.empty(), true)), to, next);
    }

    /** The same when of each unforced sector and name it is chance whether it was written. */
    public SimulatedDisk afterPowerLoss(RandomGenerator chance, Path to, CrashPoint next) {
        return with(after(new PowerLoss(Optional.of(chance), false)), to, next);
    }

    public Path directory() {
        return directory;
    }

    public CrashPoint fate() {
        return fate;
    }

    /** The files as a reader sees them, by name. */
    public synchronized Map<String, byte[]> contents() {
        Map<String, byte[]> contents = new TreeMap<>();
        files.forEach((name, file) -> contents.put(name, file.bytes()));
        return contents;
    }

    private synchronized Map<String, byte[]> after(PowerLoss loss) {
        Map<String, byte[]> found = new TreeMap<>();
        if (!directoryForced && loss.kept(1) == 0) {
            return found;
        }
        Map<String, SimulatedFile> names = new TreeMap<>(forcedNames);
        for (NameChange change : unforcedNames) {
            if (loss.kept(1) == 1) {
                change.make(names);
            }
        }
        names.forEach((name, file) -> found.put(name, file.after(loss)));
        return found;
    }

    /** Has each operation told before it happens; nothing else happens meanwhile. */
    public synchronized void watch(Consumer<String> before) {
        watcher = Optional.of(before);
    }

    /** From now on forces wait until the gate opens. */
    public Gate holdForces() {
        gate = new Gate(fate::hasCrashed);
        return gate;
    }

    /** Where forces wait. */
    public static final class Gate {
        private final CountDownLatch open;
        private final CountDownLatch reached = new CountDownLatch(1);
        private final BooleanSupplier vain;

        private Gate() {
            this(() -> true);
            open.countDown();
        }

        private Gate(BooleanSupplier vain) {
            this.open = new CountDownLatch(1);
            this.vain = vain;
        }

        private void pass() throws IOException {
            reached.countDown();
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        /** Waits until a force waits, or the process is dead and none will come. */
        public void awaitForce() throws InterruptedException {
            while (!vain.getAsBoolean() && !reached.await(1, TimeUnit.MILLISECONDS)) {
                // once more
            }
        }

        public void open() {
            open.countDown();
        }
    }

    private void cross(String operation, CrashPoint.Operation whole) throws IOException {
        watched(operation);
        fate.execute(actor(), operation, () -> locked(whole));
    }

    private void cross(String operation, CrashPoint.Operation whole, CrashPoint.Operation half) throws IOException {
        watched(operation);
        fate.execute(actor(), operation, () -> locked(whole), () -> locked(half));
    }

    private synchronized void watched(String operation) {
        watcher.ifPresent(told -> told.accept(operation));
    }

    private synchronized void locked(CrashPoint.Operation deed) throws IOException {
        deed.run();
    }

    /** Checkpoints are written beside all else, in no order with it. */
    private static String actor() {
        return Thread.currentThread().getName().equals("store-checkpoint") ? "checkpoint" : "node";
    }

    @Override
    public String toString() {
        return "disk of " + directory.getFileName();
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }

    private void change(NameChange change) {
        change.make(files);
        unforcedNames.add(change);
    }

    @Override
    public DiskFile create(Path path) throws IOException {
        SimulatedFile file = new SimulatedFile(new byte[0]);
        cross("create " + name(path), () -> {
            if (files.containsKey(name(path))) {
                throw new FileAlreadyExistsException(path.toString());
            }
            change(new NameChange(Optional.empty(), Optional.of(name(path)), file));
        });
        return new Handle(name(path), file);
    }

    @Override
    public synchronized DiskFile open(Path file) throws IOException {
        return new Handle(name(file), find(file));
    }

    @Override
    public synchronized byte[] read(Path file) throws IOException {
        return find(file).bytes();
    }

    private SimulatedFile find(Path path) throws IOException {
        SimulatedFile file = files.get(name(path));
        if (file == null) {
            throw new NoSuchFileException(path.toString());
        }
        return file;
    }

    @Override
    public synchronized List<String> list(Path path) {
        return List.copyOf(files.keySet());
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        cross("rename " + name(from) + " to " + name(to), () -> {
            change(new NameChange(Optional.of(name(from)), Optional.of(name(to)), find(from)));
        });
    }

    @Override
    public void delete(Path path) throws IOException {
        cross("delete " + name(path), () -> {
            SimulatedFile file = files.get(name(path));
            if (file != null) {
                change(new NameChange(Optional.of(name(path)), Optional.empty(), file));
            }
        });
    }

    @Override
    public void forceDirectory(Path path) throws IOException {
        cross("force directory " + path.getFileName(), () -> {
            if (path.equals(directory)) {
                unforcedNames.clear();
                forcedNames.clear();
                forcedNames.putAll(files);
            } else if (path.equals(directory.getParent())) {
                directoryForced = true;
            }
        });
    }

    private final class Handle implements DiskFile {
        private final String name;
        private final SimulatedFile file;

        Handle(String name, SimulatedFile file) {
            this.name = name;
            this.file = file;
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            int size = bytes.remaining();
            cross(
                    "write " + size + " bytes at " + offset + " of " + name,
                    () -> file.write(bytes, Math.toIntExact(offset)),
                    () -> file.write(bytes.limit(bytes.position() + size / 2), Math.toIntExact(offset)));
        }

        @Override
        public void force() throws IOException {
            gate.pass();
            cross("force " + name, file::force);
        }

        @Override
        public boolean isLinked() {
            synchronized (SimulatedDisk.this) {
                return files.get(name) == file;
            }
        }

        @Override
        public void close() {}
    }

    /**
     * What of the unforced writes and names is on a disk after the power went.
     *
     * @param choice decides each sector and each change of a name; empty: they all fare alike
     * @param everything whether all of it is there, when they fare alike
     */
    record PowerLoss(Optional<RandomGenerator> choice, boolean everything) {
        /** How many of so many changes, which follow on each other, made it. */
        int kept(int changes) {
            return choice.map(random -> random.nextInt(changes + 1)).orElse(everything ? changes : 0);
        }

        /** A length from what was forced to what was written. */
        int length(int forced, int written) {
            return choice.map(random -> switch (random.nextInt(3)) {
                        case 0 -> forced;
                        case 1 -> written;
                        default -> Math.min(forced, written) + random.nextInt(Math.abs(written - forced) + 1);
                    })
                    .orElse(everything ? written : forced);
        }
    }
}

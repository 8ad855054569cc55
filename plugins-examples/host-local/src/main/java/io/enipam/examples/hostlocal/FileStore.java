package io.enipam.examples.hostlocal;

import io.enipam.examples.hostlocal.NetConf.Network;
import io.enipam.sdk.ranges.AddressDirectory;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Addresses in host-local's own files, which the Go plugin reads and writes at the same time. Both hold the same lock, and the index
 * of {@link AddressDirectory} follows what the other one does.
 */
final class FileStore implements Store {
    /** Less than a runtime waits for a call; the Go plugin holds the lock for milliseconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Map<Path, AddressDirectory> directories = new ConcurrentHashMap<>();

    @Override
    public <R> R in(Network network, Work<R> work) throws IOException, Refused {
        return in(directory(network), Optional.empty(), work);
    }

    /** The file is on the disk before the lock is taken, and its name after the lock was released: callers wait for the disk at once. */
    @Override
    public <R> R take(Network network, Owner owner, Work<R> work) throws IOException, Refused {
        AddressDirectory directory = directory(network);
        try (AddressDirectory.Prepared file = directory.prepare(owner.text())) {
            return in(directory, Optional.of(file), work);
        }
    }

    private AddressDirectory directory(Network network) {
        return directories.computeIfAbsent(network.directory(), AddressDirectory::new);
    }

    private static <R> R in(AddressDirectory directory, Optional<AddressDirectory.Prepared> file, Work<R> work)
            throws IOException, Refused {
        R result;
        boolean changed;
        try (AddressDirectory.Session files = directory.open(PATIENCE)) {
            FileSession session = new FileSession(files, file);
            result = work.with(session);
            changed = session.changed;
        }
        if (changed) {
            directory.sync();
        }
        return result;
    }

    @Override
    public void close() {
        directories.values().forEach(AddressDirectory::close);
    }

    private static final class FileSession implements Session {
        private final AddressDirectory.Session files;
        private final Optional<AddressDirectory.Prepared> prepared;
        private boolean changed;

        FileSession(AddressDirectory.Session files, Optional<AddressDirectory.Prepared> prepared) {
            this.files = files;
            this.prepared = prepared;
        }

        @Override
        public Optional<Ip> last(int number) throws IOException {
            return files.last(number);
        }

        @Override
        public IpIntervals used() {
            return files.used();
        }

        @Override
        public boolean take(Ip ip, int number, Owner owner) throws IOException {
            Optional<AddressDirectory.Prepared> file =
                    prepared.filter(known -> known.content().equals(owner.text()));
            changed = true;
            boolean taken = file.isPresent() ? files.take(ip, file.get()) : files.take(ip, owner.text());
            if (taken) {
                files.setLast(number, ip);
            }
            return taken;
        }

        @Override
        public void setLast(int number, Ip ip) throws IOException {
            files.setLast(number, ip);
        }

        @Override
        public boolean remove(Ip ip) throws IOException {
            changed = true;
            return files.remove(ip);
        }

        @Override
        public List<Ip> owned(Owner owner) {
            return files.having(owner.text());
        }

        @Override
        public Map<Ip, Owner> owners() {
            Map<Ip, Owner> owners = new TreeMap<>();
            files.contents().forEach((ip, content) -> owners.put(ip, Owner.parse(content)));
            return owners;
        }
    }
}

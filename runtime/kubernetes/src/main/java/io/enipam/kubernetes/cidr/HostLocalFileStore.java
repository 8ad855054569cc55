package io.enipam.kubernetes.cidr;

import io.enipam.sdk.ranges.AddressFiles;
import io.enipam.sdk.ranges.Flock;
import io.enipam.sdk.ranges.Ip;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The files of addresses in the directory of one network of CNI's host-local plugin, shared with it ({@link AddressFiles}).
 *
 * <p>A file's owner is changed in place: the name is never free in between, and a full disk cannot prevent the change. All files of
 * ours have the same length ({@link AddressOwner#text}), so a crash leaves either the former or the new text.
 *
 * @param directory of the network, as {@code /var/lib/cni/networks/NAME}; created on demand
 */
public record HostLocalFileStore(Path directory) implements AddressFileStore {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** A node's CIDR is one set of one range. */
    private static final int SET = 0;

    private AddressFiles files() {
        return new AddressFiles(directory);
    }

    @Override
    public LockHandle lock() throws IOException {
        Flock flock = new Flock(files().lockFile());
        Optional<Flock.Held> held = Optional.empty();
        boolean ready = false;
        try {
            Flock.Held taken = flock.lock(PATIENCE);
            held = Optional.of(taken);
            files().removeDrafts();
            ready = true;
            return () -> release(taken, flock);
        } finally {
            if (!ready) {
                held.ifPresent(Flock.Held::close);
                flock.close();
            }
        }
    }

    private static void release(Flock.Held held, Flock flock) {
        held.close();
        flock.close();
    }

    @Override
    public Map<String, AddressOwner> owners() throws IOException {
        Map<String, AddressOwner> taken = new TreeMap<>();
        for (Ip address : files().addresses()) {
            files().content(address).ifPresent(text -> taken.put(address.toString(), AddressOwner.parse(text)));
        }
        return taken;
    }

    @Override
    public Optional<Instant> lastModified(String address) throws IOException {
        return files().lastModified(Ip.parse(address));
    }

    @Override
    public Optional<AddressOwner> owner(String address) throws IOException {
        return files().content(Ip.parse(address)).map(AddressOwner::parse);
    }

    @Override
    public boolean reserve(String address, AddressOwner owner) throws IOException {
        return files().create(Ip.parse(address), owner.text());
    }

    @Override
    public boolean reclaim(String address) throws IOException {
        return files().reclaim(Ip.parse(address));
    }

    @Override
    public boolean changeOwner(String address, AddressOwner owner) throws IOException {
        return files().overwrite(
                        Ip.parse(address), text -> AddressOwner.parse(text).ours(), owner.text());
    }

    @Override
    public void free(String address) throws IOException {
        if (owner(address).filter(AddressOwner::ours).isPresent()) {
            files().remove(Ip.parse(address));
        }
    }

    @Override
    public void release(String containerId) throws IOException {
        for (Map.Entry<String, AddressOwner> entry : owners().entrySet()) {
            if (!entry.getValue().ours() && entry.getValue().containerId().equals(containerId)) {
                files().remove(Ip.parse(entry.getKey()));
            }
        }
    }

    @Override
    public Optional<String> lastReserved() throws IOException {
        return files().last(SET).map(Ip::toString);
    }

    @Override
    public void setLastReserved(String last) throws IOException {
        files().setLast(SET, Ip.parse(last));
    }

    @Override
    public String location() {
        return directory.toString();
    }
}

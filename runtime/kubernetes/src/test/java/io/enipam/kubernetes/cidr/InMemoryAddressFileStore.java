package io.enipam.kubernetes.cidr;

import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Files that are none, for who wants the rules and no disk; they can be made to fail. Thread-safe. */
public final class InMemoryAddressFileStore implements AddressFileStore {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, AddressOwner> files = new TreeMap<>();
    private @Nullable String last;
    private @Nullable String trouble;

    /** From now on everything fails with these words; empty for no more of it. */
    public synchronized void fail(Optional<String> words) {
        trouble = words.orElse(null);
    }

    /** Somebody puts a file there, over whatever there is. */
    public synchronized void put(String address, AddressOwner owner) {
        files.put(address, owner);
    }

    /** Somebody takes a file away. */
    public synchronized void remove(String address) {
        files.remove(address);
    }

    private synchronized void check() throws IOException {
        if (trouble != null) {
            throw new IOException(trouble);
        }
    }

    @Override
    public LockHandle lock() throws IOException {
        check();
        lock.lock();
        return lock::unlock;
    }

    @Override
    public synchronized Map<String, AddressOwner> owners() throws IOException {
        check();
        return new TreeMap<>(files);
    }

    /** All of them are as old as the epoch. */
    @Override
    public synchronized Optional<Instant> lastModified(String address) throws IOException {
        check();
        return files.containsKey(address) ? Optional.of(Instant.EPOCH) : Optional.empty();
    }

    @Override
    public synchronized Optional<AddressOwner> owner(String address) throws IOException {
        check();
        return Optional.ofNullable(files.get(address));
    }

    @Override
    public synchronized boolean reserve(String address, AddressOwner owner) throws IOException {
        check();
        if (!lock.isHeldByCurrentThread()) {
            throw new IllegalStateException("an address is taken under the lock");
        }
        reclaim(address);
        return files.putIfAbsent(address, owner) == null;
    }

    @Override
    public synchronized boolean reclaim(String address) throws IOException {
        check();
        AddressOwner owner = files.get(address);
        return owner != null && owner.isUnnamed() && files.remove(address, owner);
    }

    @Override
    public synchronized void release(String containerId) throws IOException {
        check();
        files.values().removeIf(owner -> !owner.ours() && owner.containerId().equals(containerId));
    }

    @Override
    public synchronized boolean changeOwner(String address, AddressOwner owner) throws IOException {
        check();
        AddressOwner before = files.get(address);
        if (before == null || !before.ours()) {
            return false;
        }
        files.put(address, owner);
        return true;
    }

    @Override
    public synchronized void free(String address) throws IOException {
        check();
        AddressOwner owner = files.get(address);
        if (owner != null && owner.ours()) {
            files.remove(address);
        }
    }

    @Override
    public synchronized Optional<String> lastReserved() throws IOException {
        check();
        return Optional.ofNullable(last);
    }

    @Override
    public synchronized void setLastReserved(String address) throws IOException {
        check();
        last = address;
    }

    @Override
    public String location() {
        return "memory";
    }
}

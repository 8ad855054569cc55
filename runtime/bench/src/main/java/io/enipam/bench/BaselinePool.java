package io.enipam.bench;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The peer: what a straightforward pool costs. A lock, a priority queue by time of release, a map of what is in use, and a
 * scan of the queue for a resource asked for by id.
 */
final class BaselinePool {
    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Item> idle = new PriorityQueue<>();
    private final Map<OwnerKey, Resource> inUse = new HashMap<>();

    BaselinePool(List<Resource> resources) {
        resources.forEach(resource -> idle.add(new Item(System.nanoTime(), resource)));
    }

    Resource acquire(OwnerKey owner) {
        lock.lock();
        try {
            return lend(owner, idle.remove().resource);
        } finally {
            lock.unlock();
        }
    }

    Resource acquireById(OwnerKey owner, ResourceId id) {
        lock.lock();
        try {
            Item found = idle.stream()
                    .filter(item -> item.resource.id().equals(id))
                    .findFirst()
                    .orElseThrow();
            idle.remove(found);
            return lend(owner, found.resource);
        } finally {
            lock.unlock();
        }
    }

    void release(OwnerKey owner) {
        lock.lock();
        try {
            idle.add(new Item(System.nanoTime(), inUse.remove(owner)));
        } finally {
            lock.unlock();
        }
    }

    private Resource lend(OwnerKey owner, Resource resource) {
        inUse.put(owner, resource);
        return resource;
    }

    private record Item(long releasedAt, Resource resource) implements Comparable<Item> {
        @Override
        public int compareTo(Item other) {
            return Long.compare(releasedAt, other.releasedAt);
        }
    }
}

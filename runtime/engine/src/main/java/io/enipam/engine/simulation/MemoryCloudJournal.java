package io.enipam.engine.simulation;

import io.enipam.engine.port.CloudJournal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A journal of cloud operations in memory, durable at once. What it holds outlives the factory that writes to it, as a disk
 * outlives a crash. Thread-safe.
 */
public final class MemoryCloudJournal implements CloudJournal {
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final List<Entry> begun = new ArrayList<>();
    private boolean broken;

    /** From now on nothing can be written, or can be again. */
    public synchronized void broken(boolean broken) {
        this.broken = broken;
    }

    /** All that was ever begun, in order. */
    public synchronized List<Entry> begun() {
        return List.copyOf(begun);
    }

    @Override
    public synchronized CompletionStage<Void> begin(Entry entry) {
        if (broken) {
            return CompletableFuture.failedFuture(new IOException("No space left on device"));
        }
        entries.put(entry.id(), entry);
        begun.add(entry);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public synchronized void end(String id) {
        if (!broken) {
            entries.remove(id);
        }
    }

    @Override
    public synchronized List<Entry> open() {
        return List.copyOf(entries.values());
    }
}

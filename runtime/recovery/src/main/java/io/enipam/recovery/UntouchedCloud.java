package io.enipam.recovery;

import io.enipam.engine.port.CloudJournal;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The journal of a cloud that is only looked at: nothing is open in it, and nothing can be begun. Since every change of the
 * cloud is written to the journal first, none happens.
 */
public final class UntouchedCloud implements CloudJournal {
    @Override
    public CompletionStage<Void> begin(Entry entry) {
        return CompletableFuture.failedStage(
                new IOException("the cloud is only looked at while a database is recovered"));
    }

    @Override
    public void end(String id) {
        // nothing was begun
    }

    @Override
    public List<Entry> open() {
        return List.of();
    }
}

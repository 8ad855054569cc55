package io.enipam.bench.durable;

import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Connects every pod at once. */
final class NoOpDatapath implements Datapath {
    private static final CompletionStage<Void> DONE = CompletableFuture.completedStage(null);

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection) {
        return CompletableFuture.completedStage(DatapathResult.NONE);
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner) {
        return DONE;
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return CompletableFuture.completedStage(List.of());
    }
}

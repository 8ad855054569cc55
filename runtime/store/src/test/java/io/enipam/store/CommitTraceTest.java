package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.port.Change;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.Trace;
import io.enipam.engine.port.TraceSink;
import io.enipam.engine.simulation.RecordedTraces;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.engine.trace.TraceSnapshot;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommitTraceTest {
    @TempDir
    Path directory;

    @Test
    void aCommitTellsItsWaitForTheDiskAndTheForceBeforeItIsAcknowledged() throws Exception {
        RecordedTraces traces = new RecordedTraces(new VirtualTime());
        Trace trace = traces.begin(Trace.Operation.ADD, TraceSink.Subject.named("test"));
        try (ResourceDb db = JournaledResourceDb.open(directory)) {
            db.commit(List.of(new Change.RemoveIntent("none")), trace.step("COMMIT"))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            List<TraceSnapshot.Step> steps = traces.all().get(0).steps();
            assertThat(steps).extracting(TraceSnapshot.Step::name).containsExactly("COMMIT", "QUEUE", "FSYNC");
            assertThat(steps).extracting(TraceSnapshot.Step::parent).containsExactly(0, 1, 1);
            assertThat(steps.subList(1, 3)).allMatch(step -> step.outcome().equals(TraceSnapshot.OK));
            assertThat(steps.get(2).attributes()).containsEntry("together", "1");
        }
    }
}

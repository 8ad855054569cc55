package io.enipam.node.kernel;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The kernel of pods without a network namespace: nothing is set up, but that each attachment is a small file, so that it
 * outlives the daemon as a kernel's links do. Thread-safe.
 */
public final class SimulatedDatapath implements Datapath {
    private final AttachmentStore files;

    /** @param directory where the attachments are; made when the first is set up */
    public SimulatedDatapath(Path directory) {
        this.files = new AttachmentStore(directory);
    }

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection) {
        if (connection.link().connector() == Connector.DAEMON) {
            return CompletableFuture.failedStage(new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "this daemon connects no network namespaces, and was given "
                            + connection.link().netns(),
                    "call without a network namespace: the pod is simulated"));
        }
        return staged(() -> {
            write(connection.lease());
            return DatapathResult.NONE;
        });
    }

    private void write(Lease lease) {
        try {
            files.write(lease);
        } catch (IOException e) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "pod " + lease.pod() + " could not be connected: " + e.getMessage(),
                    "try again later: the disk is full, or this directory cannot be written",
                    e);
        }
    }

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        return told(span.step("WRITE").with("file", "simulated attachment"), setUp(connection));
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        return told(span.step("DELETE").with("file", "simulated attachment"), tearDown(owner));
    }

    private static <T> CompletionStage<T> told(Span step, CompletionStage<T> stage) {
        return Stages.traced(step, stage.toCompletableFuture());
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner) {
        return staged(() -> {
            files.delete(owner);
            return null;
        });
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return staged(files::read);
    }

    /** The same as the engine sees it, for those who start before it. */
    public List<Attachment> now() throws IOException {
        return files.read();
    }

    private static <T> CompletionStage<T> staged(Callable<T> work) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        try {
            stage.complete(work.call());
        } catch (Exception e) {
            stage.completeExceptionally(e);
        }
        return stage;
    }
}

package io.enipam.daemon.crash;

import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.Span;
import io.enipam.engine.testing.CrashPoint;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The kernel's calls of a daemon that may die at any of them; in the middle, a link is there and nothing is routed to it. */
final class MortalKernel implements Datapath {
    private final World world;
    private final CrashPoint fate;

    MortalKernel(World world, CrashPoint fate) {
        this.world = world;
        this.fate = fate;
    }

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        Lease lease = connection.lease();
        Attachment half = new Attachment(lease.owner(), Optional.of(lease.pod()), lease.podUid(), Set.of());
        return call("set up " + lease.owner(), () -> world.kernel.setUp(connection), () -> world.kernel.put(half));
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        Attachment half = new Attachment(owner, Optional.empty(), "", Set.of());
        return call("tear down " + owner, () -> world.kernel.tearDown(owner), () -> {
            world.kernel.tearDown(owner);
            world.kernel.put(half);
        });
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return call("list", world.kernel::attached, () -> {});
    }

    private <T> CompletionStage<T> call(String name, Supplier<CompletionStage<T>> whole, Runnable half) {
        CompletableFuture<T> heard = new CompletableFuture<>();
        CompletableFuture<CompletionStage<T>> done = new CompletableFuture<>();
        try {
            fate.execute("node", "kernel: " + name, () -> done.complete(whole.get()), half::run);
            done.join()
                    .whenComplete((value, failure) -> world.time.execute(() -> {
                        if (failure == null) {
                            heard.complete(value);
                        } else {
                            heard.completeExceptionally(failure);
                        }
                    }));
        } catch (IOException died) {
            // nobody is there to hear it
        }
        return heard;
    }
}

package io.enipam.pluginhost.guard;

import io.enipam.engine.pool.ValidatedList;
import io.enipam.pluginhost.guard.PluginFailures.CallFailure;
import io.enipam.pluginhost.guard.PluginGuard.GuardContext;
import io.enipam.pluginhost.guard.ThreadPoolBulkhead.PluginTask;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The creates and disposals of a guarded factory: a stage for each item, checked where the plugin ends it and completed
 * on the engine's threads. Thread-safe; nothing blocks.
 */
record GuardedItems(
        ResourceFactory factory,
        PluginFailures failures,
        GuardContext context,
        ThreadPoolBulkhead lane,
        Supplier<ResourceKind> kind) {
    List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        List<CreateRequest> asked = List.copyOf(requests);
        return new Batch<CreateResult>(
                        "create", asked.size(), i -> result -> checked(asked.get(i), result), failed -> failed)
                .send(() -> factory.create(asked));
    }

    List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        List<Resource> asked = List.copyOf(resources);
        return new Batch<DisposeResult>("dispose", asked.size(), i -> this::checked, failed -> failed)
                .send(() -> factory.dispose(asked));
    }

    /** One call for several items. */
    private final class Batch<R> {
        private final String what;
        private final IntFunction<Function<@Nullable R, R>> check;
        private final Function<Failed, R> failed;
        private final List<CompletableFuture<R>> items;

        /**
         * @param check what an outcome of the plugin's comes to, for each item by its index
         * @param failed a failure as an outcome
         */
        Batch(String what, int size, IntFunction<Function<@Nullable R, R>> check, Function<Failed, R> failed) {
            this.what = what;
            this.check = check;
            this.failed = failed;
            this.items = Stream.generate(CompletableFuture<R>::new).limit(size).toList();
        }

        /** @param call is made on the plugin's thread */
        List<CompletionStage<R>> send(Supplier<@Nullable List<CompletionStage<R>>> call) {
            Thread caller = Thread.currentThread();
            lane.send(
                    new PluginTask(
                            what,
                            () -> follow(call.get()),
                            thrown -> fail(items, failures.failure(what, thrown)),
                            () -> {},
                            (why, retryAfter) -> {
                                Failed outcome = new Failed(ErrorKind.UNAVAILABLE, failures.says(why), retryAfter);
                                if (Thread.currentThread() == caller) {
                                    items.forEach(item -> item.complete(failed.apply(outcome)));
                                } else {
                                    fail(items, outcome);
                                }
                            }),
                    context.limits().factoryCall());
            return List.copyOf(items);
        }

        private void fail(List<CompletableFuture<R>> ended, Failed outcome) {
            context.engine().execute(() -> ended.forEach(item -> item.complete(failed.apply(outcome))));
        }

        /** Ties the plugin's stages to the engine's. On the plugin's thread: its lists and stages may be of its own make. */
        private Optional<CallFailure> follow(@Nullable List<CompletionStage<R>> answered) {
            if (answered == null) {
                return nonsense(what + " answered null", items);
            }
            List<CompletionStage<R>> stages = new ArrayList<>(answered);
            if (stages.size() != items.size()) {
                return nonsense(what + " answered " + stages.size() + " of " + items.size() + " items", items);
            }
            Optional<CallFailure> trouble = Optional.empty();
            for (int i = 0; i < items.size(); i++) {
                CompletableFuture<R> item = items.get(i);
                // by this way the list may hold what is no stage
                Object stage = ((List<?>) stages).get(i);
                if (stage instanceof CompletionStage<?>) {
                    tie(stages.get(i), item, check.apply(i));
                } else {
                    // the others' stages are tied already: what they make must not get lost
                    trouble = nonsense(what + " answered no stage for an item", List.of(item));
                }
            }
            return trouble;
        }

        private void tie(CompletionStage<R> stage, CompletableFuture<R> item, Function<@Nullable R, R> check) {
            AtomicBoolean told = new AtomicBoolean();
            try {
                stage.whenComplete((result, error) -> {
                    if (!told.compareAndSet(false, true)) {
                        context.tally().rejected(lane.part(), what + " completed a stage twice");
                        return;
                    }
                    R outcome = outcome(result, error, check);
                    context.engine().execute(() -> item.complete(outcome));
                });
            } catch (Throwable e) {
                if (told.compareAndSet(false, true)) {
                    fail(List.of(item), stageFailure(what, e));
                }
            }
        }

        private R outcome(@Nullable R result, @Nullable Throwable error, Function<@Nullable R, R> check) {
            try {
                return error == null ? check.apply(result) : failed.apply(stageFailure(what, error));
            } catch (ClassCastException e) {
                // generics do not guarantee what a plugin's code puts in
                return failed.apply(misshapen(what));
            }
        }

        private Optional<CallFailure> nonsense(String text, List<CompletableFuture<R>> ended) {
            fail(ended, Failed.of(ErrorKind.INTERNAL, failures.says(text)));
            return Optional.of(CallFailure.rejected(text));
        }
    }

    private CreateResult checked(CreateRequest request, @Nullable CreateResult result) {
        if (result instanceof Failed failed) {
            return tidy("create", failed);
        }
        if (!(result instanceof Created created) || created.resource() == null || !isValid(created.resource())) {
            return misshapen("create");
        }
        // the engine refuses it, and disposes of it; here it counts
        ValidatedList.objection(created.resource(), kind.get(), request.families())
                .ifPresent(wrong -> countRejected("create delivered " + wrong));
        return created;
    }

    private DisposeResult checked(@Nullable DisposeResult result) {
        if (result instanceof Failed failed) {
            return tidy("dispose", failed);
        }
        return result instanceof Disposed disposed && disposed.id() != null ? disposed : misshapen("dispose");
    }

    static boolean isValid(@Nullable Resource resource) {
        return resource != null && resource.id() != null && resource.kind() != null && resource.parent() != null;
    }

    private Failed tidy(String what, Failed failed) {
        if (failed.kind() == null || failed.retryAfter() == null) {
            return misshapen(what);
        }
        return new Failed(failed.kind(), PluginText.line(failed.message()), failed.retryAfter());
    }

    private Failed misshapen(String what) {
        String text = what + " ended an item with null, or with what is no result";
        countRejected(text);
        return Failed.of(ErrorKind.INTERNAL, failures.says(text));
    }

    void countRejected(String text) {
        context.tally().rejected(lane.part(), text);
        lane.recordLateFailure(PluginText.line(text));
    }

    /** An item that ended with an exception. */
    private Failed stageFailure(String what, Throwable error) {
        context.tally().threw(lane.part(), what, error);
        Failed failed = failures.failure(what, error);
        if (failed.kind() == ErrorKind.INTERNAL) {
            lane.recordLateFailure(failed.message());
        }
        return failed;
    }
}

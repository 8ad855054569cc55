package io.enipam.daemon.crash;

import io.enipam.engine.testing.CrashPoint;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The cloud's calls of a daemon that may die at any of them. Nobody hears an answer after the death. */
final class MortalFactory implements ResourceFactory {
    private static final Duration WAY_BACK = Duration.ofMillis(200);

    private final World world;
    private final CrashPoint fate;
    private final boolean late;

    /** @param late whether a call that just went out when the daemon died gets to the cloud all the same, later */
    MortalFactory(World world, CrashPoint fate, boolean late) {
        this.world = world;
        this.fate = fate;
        this.late = late;
    }

    @Override
    public ResourceKind kind() {
        return world.cloud.kind();
    }

    @Override
    public Capabilities capabilities() {
        return world.cloud.capabilities();
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return call("create of " + requests.size(), requests, world.cloud::create);
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return call("dispose of " + resources.size(), resources, world.cloud::dispose);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return call("list", List.of(0), one -> List.of(world.cloud.list())).get(0);
    }

    private <I, O> List<CompletionStage<O>> call(
            String name, List<I> items, Function<List<I>, List<CompletionStage<O>>> call) {
        List<CompletableFuture<O>> heard = new ArrayList<>();
        items.forEach(item -> heard.add(new CompletableFuture<>()));
        List<CompletionStage<O>> done = new ArrayList<>();
        boolean alive = !fate.hasCrashed();
        try {
            fate.execute(
                    "node",
                    "cloud: " + name,
                    () -> done.addAll(call.apply(items)),
                    () -> done.addAll(call.apply(items.subList(0, items.size() / 2))));
            for (int i = 0; i < done.size(); i++) {
                CompletableFuture<O> answer = heard.get(i);
                done.get(i)
                        .whenComplete((value, failure) -> world.time.after(WAY_BACK, () -> {
                            if (failure == null) {
                                answer.complete(value);
                            } else {
                                answer.completeExceptionally(failure);
                            }
                        }));
            }
        } catch (IOException died) {
            if (alive && late && done.isEmpty()) {
                world.onTheirWay.add(() -> done.addAll(call.apply(items)));
            }
        }
        return List.copyOf(heard);
    }
}

package io.enipam.examples.swarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Transaction;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many tasks at once, as many as one transaction takes at a time. */
class BatchesTest {
    private final World world = new World();

    private void allocated(int networks, int tasks) {
        try (world) {
            world.start();
            List<String> ids =
                    IntStream.range(0, networks).mapToObj(i -> "net-" + i).toList();
            ids.forEach(id -> world.create(Objects.net(id)));
            world.create(World.service("web", ids));
            List<Object> made = new ArrayList<>();
            for (int i = 0; i < tasks; i++) {
                made.add(Objects.task("web." + i, "web"));
            }
            world.put(made.toArray());
            world.replica.drain();
            assertThat(world.tasks())
                    .hasSize(tasks)
                    .allMatch(task -> task.status().state() == State.PENDING);
            assertThat(world.tasks().stream()
                            .map(Task::id)
                            .map(world::addresses)
                            .flatMap(List::stream))
                    .hasSize(networks * tasks)
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void allTasksOfALargeServiceAreAllocated() {
        allocated(1, 240);
    }

    @Test
    void soAreThoseOfAServiceWithMoreNetworksThanATransactionHasRoomForInAllOfThem() {
        allocated(40, 60);
    }

    /** It saw them as they were before, and conflicted with their own commit: then all tasks of the swarm were read anew. */
    @Test
    void aTransactionLooksAtNoTaskThatWasToldAfterItHadBegun() {
        try (world) {
            world.start();
            world.create(Objects.net("net"), World.service("web", List.of("net")));
            Task told = Objects.task("web.1", "web");
            Task late = Objects.task("web.2", "web");
            world.put(told);
            List<Object> looks = new ArrayList<>();

            world.change(tx -> ((Controller) world.replica.part()).reconcile("tasks", seen(tx, row -> {
                if (looks.isEmpty()) {
                    world.put(late);
                }
                looks.add(row);
            })));

            assertThat(looks).containsOnly(Tables.key(told));
            world.replica.drain();
            assertThat(world.tasks()).extracting(task -> task.status().state()).containsOnly(State.PENDING);
        }
    }

    /** @param look gets the row of each task that is read, before it is */
    private static Transaction seen(Transaction tx, Consumer<Object> look) {
        return (Transaction) Proxy.newProxyInstance(
                Transaction.class.getClassLoader(), new Class<?>[] {Transaction.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("get") && arguments[0].equals(Tables.TASKS)) {
                        look.accept(arguments[1]);
                    }
                    return method.invoke(tx, arguments);
                });
    }
}

package io.enipam.examples.swarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import java.util.ArrayList;
import java.util.List;
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
}

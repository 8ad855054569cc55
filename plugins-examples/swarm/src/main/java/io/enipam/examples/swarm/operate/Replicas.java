package io.enipam.examples.swarm.operate;

import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.state.Control;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Call;
import io.enipam.sdk.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A minimal orchestrator: makes the tasks {@code NAME.1} to {@code NAME.N} of a service, on the nodes in turn, and removes those beyond.
 * No agent runs them: they stay PENDING. Thread-safe.
 */
final class Replicas {
    /** How many rows one commit writes, within the bounds of a transaction. */
    private static final int CHUNK = 400;

    private final Swarm swarm;

    Replicas(Swarm swarm) {
        this.swarm = swarm;
    }

    /** What a change of scale does. */
    record Plan(List<Task> add, List<String> remove) {
        @Override
        public String toString() {
            return add.size() + " tasks to make, " + remove.size() + " to remove";
        }
    }

    /**
     * Makes and removes tasks. Where it is interrupted some are made; run again, it makes the rest.
     *
     * @param wanted how many tasks there are to be, 0 or more
     */
    Plan scale(Call call, Service service, int wanted) {
        Plan plan = plan(service, wanted);
        if (call.dryRun()) {
            return plan;
        }
        for (int i = 0; i < plan.remove().size(); i += CHUNK) {
            List<String> some =
                    plan.remove().subList(i, Math.min(i + CHUNK, plan.remove().size()));
            swarm.change(call, tx -> {
                some.stream()
                        .filter(key -> tx.get(Tables.TASKS, key).isPresent())
                        .forEach(key -> Control.removeTask(key, tx));
                return true;
            });
        }
        for (int i = 0; i < plan.add().size(); i += CHUNK) {
            List<Task> some =
                    plan.add().subList(i, Math.min(i + CHUNK, plan.add().size()));
            swarm.change(call, tx -> {
                some.forEach(task -> Control.createTask(task, tx));
                return true;
            });
        }
        return plan;
    }

    /** Makes new tasks in place of those that were made before a service was changed: tasks keep the networks that they have. */
    void replace(Call call, Service service) {
        Count now = swarm.read(tx ->
                        counts(Control.tasks(service.id(), tx).map(Row::value).toList()))
                .getOrDefault(service.id(), new Count(0, 0));
        scale(call, service, 0);
        scale(call, service, now.wanted());
    }

    /** Tasks that have ended make room for others of their names. */
    private Plan plan(Service service, int wanted) {
        return swarm.read(tx -> {
            List<Row<Task>> tasks = Control.tasks(service.id(), tx).toList();
            List<String> remove = new ArrayList<>();
            Map<Integer, Row<Task>> bySlot = new TreeMap<>();
            for (Row<Task> row : tasks) {
                int slot = row.value().slot();
                boolean surplus = slot < 1 || slot > wanted || bySlot.containsKey(slot);
                if (surplus || row.value().status().state().terminal()) {
                    remove.add(row.key());
                } else {
                    bySlot.put(slot, row);
                }
            }
            List<Node> nodes = Swarm.all(Tables.NODES, tx).stream()
                    .sorted(Comparator.comparing(Node::name))
                    .toList();
            List<Task> add = new ArrayList<>();
            for (int slot = 1; slot <= wanted; slot++) {
                if (!bySlot.containsKey(slot)) {
                    String node = nodes.isEmpty()
                            ? ""
                            : nodes.get((slot - 1) % nodes.size()).id();
                    add.add(new Task(
                            swarm.id(),
                            service.id(),
                            service.spec().name() + "." + slot,
                            node,
                            List.of(),
                            List.of(),
                            Endpoint.NONE,
                            new Task.Status(State.NEW, "created", swarm.now())));
                }
            }
            return new Plan(add, remove);
        });
    }

    /** How many tasks of a service have not ended, and how many of these have been allocated. */
    record Count(int wanted, int allocated) {
        @Override
        public String toString() {
            return allocated + "/" + wanted;
        }
    }

    /** By the service's id. */
    static Map<String, Count> counts(List<Task> tasks) {
        return tasks.stream()
                .filter(task -> !task.status().state().terminal())
                .collect(Collectors.toMap(
                        Task::service,
                        task -> new Count(1, task.status().state() == State.NEW ? 0 : 1),
                        (one, other) -> new Count(one.wanted() + other.wanted(), one.allocated() + other.allocated())));
    }
}

package io.enipam.examples.swarm.state;

import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.RecordCodec;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Table;

/** The swarm's durable tables. The revision of a row is the version of its object. */
public final class Tables {
    public static final Table<Network> NETWORKS = new Table<>("networks", 1, new RecordCodec<>(Network.class));
    public static final Table<Service> SERVICES = new Table<>("services", 1, new RecordCodec<>(Service.class));
    /** By {@link #key}, so that the tasks of a service are found by a prefix. */
    public static final Table<Task> TASKS = new Table<>("tasks", 1, new RecordCodec<>(Task.class));

    public static final Table<Node> NODES = new Table<>("nodes", 1, new RecordCodec<>(Node.class));

    private Tables() {}

    public static void open(Journal journal) {
        journal.open(NETWORKS);
        journal.open(SERVICES);
        journal.open(TASKS);
        journal.open(NODES);
    }

    /** The key of a task's row: {@code SERVICE/TASK}, of a task by itself {@code -/TASK}. */
    public static String key(Task task) {
        return ofService(task.service()) + task.id();
    }

    /** With what the keys of a service's tasks begin. */
    public static String ofService(String service) {
        return (service.isEmpty() ? "-" : service) + "/";
    }
}

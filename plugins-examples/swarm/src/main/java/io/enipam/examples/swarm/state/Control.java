package io.enipam.examples.swarm.state;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What users do to the swarm's objects. Each method is a part of a transaction, pure but for that, and throws {@link Refused} where it
 * is not done. What it writes the allocator hears of by the tables.
 */
public final class Control {
    private Control() {}

    // ---- networks

    /** @param id a new one */
    public static Network createNetwork(String id, Network.Spec spec, Transaction tx) {
        Validation.network(spec);
        if (tx.scan(Tables.NETWORKS, "")
                .anyMatch(row -> row.value().spec().name().equals(spec.name()))) {
            throw exists("network", spec.name());
        }
        if (spec.ingress()
                && tx.scan(Tables.NETWORKS, "").anyMatch(row -> row.value().isIngress())) {
            throw new Refused(Refused.Code.ALREADY_EXISTS, "ingress network is already present");
        }
        Network made = Network.of(id, spec);
        tx.put(Tables.NETWORKS, id, made);
        return made;
    }

    /**
     * Removes a network that no service and no task uses.
     *
     * @param id of one that there is
     */
    public static void removeNetwork(String id, Transaction tx) {
        Network network = network(id, tx).value();
        boolean ingress = network.isIngress();
        tx.scan(Tables.SERVICES, "").map(Row::value).forEach(service -> {
            boolean attached = service.spec().attached().stream()
                    .anyMatch(each -> each.target().equals(id));
            if (ingress && service.spec().endpoint().needsIngress()) {
                throw Refused.conflict(
                        "ingress network cannot be removed because service " + service.id() + " depends on it");
            }
            if (attached) {
                throw Refused.conflict("network " + id + " is in use by service " + service.id());
            }
        });
        tx.scan(Tables.TASKS, "").map(Row::value).forEach(task -> {
            boolean attached = task.networks().stream()
                    .anyMatch(each -> each.network().id().equals(id));
            if (attached && !task.status().state().terminal()) {
                throw Refused.conflict("network " + id + " is in use by task " + task.id());
            }
        });
        tx.delete(Tables.NETWORKS, id);
    }

    /**
     * Changes the labels of a network.
     *
     * @param version that the caller has read: the row's revision
     */
    public static Network updateNetwork(String id, long version, Network.Spec spec, Transaction tx) {
        Row<Network> row = network(id, tx);
        unchanged(row, version);
        Network.Spec was = row.value().spec();
        Network.Spec allowed =
                new Network.Spec(was.name(), spec.labels(), was.driver(), was.ipam(), was.ingress(), was.attachable());
        if (!spec.equals(allowed)) {
            throw new Refused(Refused.Code.UNIMPLEMENTED, "only the labels of a network can be changed");
        }
        Network changed = new Network(
                id, spec, row.value().ipam(), row.value().driver(), row.value().pendingDelete());
        tx.put(Tables.NETWORKS, id, changed);
        return changed;
    }

    private static void unchanged(Row<?> row, long version) {
        if (row.revision() != version) {
            throw new Refused(Refused.Code.SEQUENCE_CONFLICT, "update out of sequence");
        }
    }

    // ---- services

    /** @param id a new one */
    public static Service createService(String id, Service.Spec spec, Transaction tx) {
        Validation.service(id, spec, tx);
        if (tx.scan(Tables.SERVICES, "")
                .anyMatch(row -> row.value().spec().name().equals(spec.name()))) {
            throw exists("name conflicts with an existing object: service", spec.name());
        }
        Service made = Service.of(id, spec);
        tx.put(Tables.SERVICES, id, made);
        return made;
    }

    /**
     * Changes what is wanted of a service.
     *
     * @param version that the caller has read: the row's revision
     */
    public static Service updateService(String id, long version, Service.Spec spec, Transaction tx) {
        Row<Service> row = service(id, tx);
        unchanged(row, version);
        if (!row.value().spec().name().equals(spec.name())) {
            throw new Refused(Refused.Code.UNIMPLEMENTED, "renaming services is not supported");
        }
        if (row.value().pendingDelete()) {
            throw Refused.conflict("service " + id + " is marked for removal");
        }
        Validation.service(id, spec, tx);
        Service changed = row.value().with(spec);
        tx.put(Tables.SERVICES, id, changed);
        return changed;
    }

    /** Marks a service for removal: it goes with its last task. */
    public static void removeService(String id, Transaction tx) {
        Service service = service(id, tx).value();
        if (!service.pendingDelete()) {
            tx.put(Tables.SERVICES, id, service.deleted());
        }
    }

    // ---- tasks and nodes

    /** Adds a task of a service that is not to be removed, or one by itself. */
    public static void createTask(Task task, Transaction tx) {
        if (!task.service().isEmpty() && service(task.service(), tx).value().pendingDelete()) {
            throw Refused.conflict("service " + task.service() + " is marked for removal");
        }
        if (tx.get(Tables.TASKS, Tables.key(task)).isPresent()) {
            throw exists("task", task.id());
        }
        tx.put(Tables.TASKS, Tables.key(task), task);
    }

    /**
     * Says how far a task is and where it runs; states go forward alone.
     *
     * @param key of the task's row
     * @param version that the caller has read: the row's revision
     * @param node empty to leave it
     */
    public static Task updateTask(String key, long version, String node, Task.Status now, Transaction tx) {
        Row<Task> row = task(key, tx);
        unchanged(row, version);
        Task task = row.value();
        Task.State was = task.status().state();
        if (now.state().compareTo(was) < 0) {
            throw Refused.invalid(
                    "task " + task.id() + " is " + was + " and does not become " + now.state() + " again");
        }
        boolean allocated =
                was != Task.State.NEW || now.state() == was || now.state().terminal();
        if (!allocated) {
            throw Refused.conflict("task " + task.id() + " is not allocated yet");
        }
        if (!node.isEmpty()) {
            node(node, tx);
        }
        Task changed = (node.isEmpty() ? task : task.on(node)).with(now);
        tx.put(Tables.TASKS, key, changed);
        return changed;
    }

    /**
     * Removes a task, and takes it off the ballot.
     *
     * @param key of the task's row
     */
    public static void removeTask(String key, Transaction tx) {
        if (tx.get(Tables.TASKS, key).isEmpty()) {
            throw missing("task", key);
        }
        tx.delete(Tables.TASKS, key);
        tx.withdraw(Ballot.NAME, Ballot.id(key));
    }

    public static void createNode(Node node, Transaction tx) {
        Validation.name(node.name());
        if (tx.scan(Tables.NODES, "").anyMatch(row -> row.value().name().equals(node.name()))) {
            throw exists("node", node.name());
        }
        tx.put(Tables.NODES, node.id(), node);
    }

    /**
     * Changes the name of a node.
     *
     * @param version that the caller has read: the row's revision
     */
    public static Node updateNode(String id, long version, String name, Transaction tx) {
        Row<Node> row = node(id, tx);
        unchanged(row, version);
        Validation.name(name);
        if (tx.scan(Tables.NODES, "")
                .anyMatch(other ->
                        other.value().name().equals(name) && !other.key().equals(id))) {
            throw exists("node", name);
        }
        Node changed = new Node(id, name, row.value().attachments());
        tx.put(Tables.NODES, id, changed);
        return changed;
    }

    /** Removes a node to which no task that runs is assigned. */
    public static void removeNode(String id, Transaction tx) {
        if (tx.get(Tables.NODES, id).isEmpty()) {
            throw missing("node", id);
        }
        tx.scan(Tables.TASKS, "").map(Row::value).forEach(task -> {
            if (task.node().equals(id) && !task.status().state().terminal()) {
                throw Refused.conflict("node " + id + " is in use by task " + task.id());
            }
        });
        tx.delete(Tables.NODES, id);
    }

    // ---- look-ups

    public static Row<Network> network(String id, Transaction tx) {
        return tx.get(Tables.NETWORKS, id).orElseThrow(() -> missing("network", id));
    }

    public static Row<Service> service(String id, Transaction tx) {
        return tx.get(Tables.SERVICES, id).orElseThrow(() -> missing("service", id));
    }

    /** @param key of the task's row */
    public static Row<Task> task(String key, Transaction tx) {
        return tx.get(Tables.TASKS, key).orElseThrow(() -> missing("task", key));
    }

    public static Row<Node> node(String id, Transaction tx) {
        return tx.get(Tables.NODES, id).orElseThrow(() -> missing("node", id));
    }

    /**
     * The one object with an id, a name, or the only one whose id begins so.
     *
     * @param what it is, for the message
     */
    public static <V> Row<V> find(
            String what,
            Table<V> table,
            String typed,
            Function<V, String> id,
            Function<V, String> name,
            Transaction tx) {
        List<Row<V>> all = tx.scan(table, "").toList();
        List<Row<V>> exact = all.stream()
                .filter(row -> id.apply(row.value()).equals(typed)
                        || name.apply(row.value()).equals(typed))
                .toList();
        List<Row<V>> found = exact.isEmpty()
                ? all.stream()
                        .filter(row -> id.apply(row.value()).startsWith(typed))
                        .toList()
                : exact;
        if (found.size() > 1) {
            throw Refused.invalid(what + " " + typed + " is ambiguous (" + found.size() + " matches found)");
        }
        return found.stream().findFirst().orElseThrow(() -> missing(what, typed));
    }

    /** The tasks of a service, ascending by key. */
    public static Stream<Row<Task>> tasks(String service, Transaction tx) {
        return tx.scan(Tables.TASKS, Tables.ofService(service));
    }

    private static Refused missing(String what, String id) {
        return Refused.notFound(what + " " + id + " not found");
    }

    private static Refused exists(String what, String name) {
        return new Refused(Refused.Code.ALREADY_EXISTS, what + " " + name + " already exists");
    }
}

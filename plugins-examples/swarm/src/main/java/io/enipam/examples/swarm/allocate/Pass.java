package io.enipam.examples.swarm.allocate;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Attachment;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.ports.PortAllocator;
import io.enipam.examples.swarm.state.Ballot;
import io.enipam.examples.swarm.state.Keys;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Row;
import io.enipam.sdk.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * One transaction of the event loop: brings objects to what is wanted of them, in memory and in their rows. Always begins with the row as
 * it is now, and changes of it what the allocator owns: the endpoint of a service, the attachments of a node, networks and endpoint of a
 * task. For one thread.
 *
 * <p>An operation that fails leaves the memory as it was, and the object waits with the reason.
 */
final class Pass {
    /** A transaction writes at most 1,000 rows; the last object has room for what goes with it. */
    private static final int MOST_WRITES = 800;

    /** A transaction writes at most a million characters, and with each attachment a task's row has a copy of its network. */
    private static final int MOST_ATTACHMENTS = 400;

    private final Memory memory;
    private final Transaction tx;
    private int writes;
    private int attachments;
    private boolean allocated;
    private boolean unfinished;
    /** What tasks refer to, read once. */
    private final Map<String, Optional<Service>> services = new HashMap<>();

    private final Map<String, Optional<Network>> networks = new HashMap<>();

    Pass(Memory memory, Transaction tx) {
        this.memory = memory;
        this.tx = tx;
    }

    /** Whether another object can be dealt with in this transaction. */
    boolean room() {
        return writes < MOST_WRITES && attachments < MOST_ATTACHMENTS;
    }

    /** Whether memory has something that it had not before, or something is written. */
    boolean changed() {
        return allocated || writes > 0;
    }

    /** Whether there was too much for one transaction. */
    boolean unfinished() {
        return unfinished;
    }

    /** @param key of the controller */
    void bring(String key) {
        String row = key.substring(key.indexOf('/') + 1);
        if (!key.startsWith(Keys.TASK)) {
            services.clear();
            networks.clear();
        }
        if (key.startsWith(Keys.NETWORK)) {
            network(row);
        } else if (key.startsWith(Keys.SERVICE)) {
            service(row);
        } else if (key.startsWith(Keys.NODE)) {
            node(row);
        } else if (key.startsWith(Keys.TASK)) {
            task(row);
        }
    }

    // ---- networks

    private void network(String id) {
        String key = Keys.NETWORK + id;
        Optional<Network> row = tx.get(Tables.NETWORKS, id).map(Row::value);
        if (row.isEmpty()) {
            memory.waitsNoMore(key);
            memory.networks.network(id).ifPresent(this::free);
            return;
        }
        Network network = row.get();
        if (network.pendingDelete() && unused(id)) {
            tx.delete(Tables.NETWORKS, id);
            writes++;
            return;
        }
        if (memory.networks.network(id).isPresent()) {
            return;
        }
        attempt(key, () -> {
            Optional<Network> other = memory.networks.ingress();
            if (network.isIngress() && other.isPresent()) {
                throw Refused.conflict(
                        "Cannot allocate ingress network " + network.spec().name() + " (" + id
                                + ") because another ingress network is already present: "
                                + other.get().spec().name());
            }
            Network now = memory.networks.allocate(network);
            allocated = true;
            if (!now.equals(network)) {
                tx.put(Tables.NETWORKS, id, now);
                writes++;
            }
            if (now.isIngress()) {
                everyNode();
            }
        });
    }

    /** Of a network that is gone: what nodes have on it goes first. */
    private void free(Network network) {
        for (Node node : List.copyOf(memory.heldNodes.values())) {
            boolean on = node.attachments().stream()
                    .anyMatch(each -> each.network().id().equals(network.id()));
            if (on) {
                if (!room()) {
                    unfinished = true;
                    return;
                }
                attachments(node.id(), id -> id.equals(network.id()));
            }
        }
        memory.networks.deallocate(network);
        memory.deallocated = true;
    }

    private boolean unused(String network) {
        return tx.scan(Tables.SERVICES, "")
                .map(Row::value)
                .noneMatch(service -> service.spec().attached().stream()
                        .anyMatch(each -> each.target().equals(network)));
    }

    // ---- nodes

    private void everyNode() {
        memory.heldNodes.keySet().forEach(id -> memory.untried.add(Keys.NODE + id));
    }

    private void node(String id) {
        attachments(id, network -> false);
    }

    /** Gives a node an address on each network that its load balancers need, and no other one. */
    private void attachments(String id, Predicate<String> going) {
        String key = Keys.NODE + id;
        Optional<Node> row = tx.get(Tables.NODES, id).map(Row::value);
        Optional<Node> held = Optional.ofNullable(memory.heldNodes.get(id));
        if (row.isEmpty()) {
            memory.waitsNoMore(key);
            held.ifPresent(gone -> {
                gone.attachments().forEach(this::release);
                memory.heldNodes.remove(id);
            });
            return;
        }
        Set<String> wanted = memory.networksOf(id);
        List<Attachment> now = new ArrayList<>();
        Map<String, Attachment> has = held.map(Node::attachments).orElse(List.of()).stream()
                .collect(Collectors.toMap(each -> each.network().id(), Function.identity()));
        has.forEach((network, attachment) -> {
            if (!wanted.contains(network) || going.test(network)) {
                release(attachment);
            }
        });
        memory.waitsNoMore(key);
        for (String network : wanted) {
            if (going.test(network)) {
                continue;
            }
            Optional<Attachment> kept = Optional.ofNullable(has.get(network));
            if (kept.isPresent()) {
                now.add(kept.get());
                continue;
            }
            attempt(key, () -> {
                now.add(memory.networks.allocateAttachment(
                        Attachment.of(memory.networks.network(network).orElseThrow())));
                allocated = true;
            });
        }
        Node after = row.get().with(now);
        memory.heldNodes.put(id, after);
        if (!after.equals(row.get())) {
            tx.put(Tables.NODES, id, after);
            writes++;
            allocated = true;
        }
    }

    private void release(Attachment attachment) {
        memory.networks.deallocateAttachment(attachment);
        memory.deallocated = true;
    }

    // ---- services

    private void service(String id) {
        String key = Keys.SERVICE + id;
        Optional<Service> row = tx.get(Tables.SERVICES, id).map(Row::value);
        Optional<Service> held = Optional.ofNullable(memory.heldServices.get(id));
        if (row.isEmpty()) {
            memory.waitsNoMore(key);
            held.ifPresent(gone -> {
                free(gone);
                memory.heldServices.remove(id);
                memory.deallocated = true;
            });
            return;
        }
        Service service = row.get();
        if (service.pendingDelete()) {
            deleteWithLastTask(service);
            return;
        }
        if (allocated(service)) {
            memory.waitsNoMore(key);
            Service now = PortAllocator.hostPortsNeedUpdate(service) ? PortAllocator.updateHostPorts(service) : service;
            memory.heldServices.put(id, now);
            put(service, now);
            return;
        }
        attempt(key, () -> {
            Service now = allocate(service, held);
            memory.heldServices.put(id, now);
            memory.deallocated |= held.isPresent();
            allocated = true;
            put(service, now);
        });
    }

    private void put(Service was, Service now) {
        if (!now.equals(was)) {
            tx.put(Tables.SERVICES, now.id(), now);
            writes++;
            allocated = true;
        }
    }

    private boolean allocated(Service service) {
        return memory.networks.isServiceAllocated(service) && PortAllocator.isAllocated(service, false);
    }

    private Service allocate(Service wanted, Optional<Service> held) {
        Service now = wanted;
        try {
            Endpoint.Spec spec = wanted.spec().endpoint();
            if (spec.needsIngress()) {
                String ingress = memory.networks
                        .ingress()
                        .orElseThrow(() -> Refused.conflict("ingress network is missing"))
                        .id();
                if (now.endpoint().on(ingress).isEmpty()) {
                    List<Endpoint.VirtualIp> more =
                            new ArrayList<>(now.endpoint().virtualIps());
                    more.add(new Endpoint.VirtualIp(ingress, ""));
                    now = now.with(now.endpoint().withVirtualIps(more));
                }
            }
            if (!spec.present() && !now.endpoint().empty()) {
                now = memory.ports.deallocate(memory.networks.deallocateService(now));
            }
            now = memory.ports.allocate(now);
            return memory.networks.allocateService(now);
        } catch (Refused e) {
            free(now);
            held.ifPresent(memory::hold);
            throw e;
        }
    }

    private void free(Service service) {
        memory.ports.deallocate(memory.networks.deallocateService(service));
    }

    /** A service that is to be deleted goes with its last task, and with it each network that is to be deleted and that no other uses. */
    private void deleteWithLastTask(Service service) {
        if (tx.scan(Tables.TASKS, Tables.ofService(service.id())).findAny().isPresent()) {
            return;
        }
        tx.delete(Tables.SERVICES, service.id());
        writes++;
        for (AttachmentSpec attached : service.spec().attached()) {
            tx.get(Tables.NETWORKS, attached.target())
                    .map(Row::value)
                    .filter(network -> network.pendingDelete() && unused(network.id()))
                    .ifPresent(network -> {
                        tx.delete(Tables.NETWORKS, network.id());
                        writes++;
                    });
        }
    }

    // ---- tasks

    /** @param row the key of the task's row */
    private void task(String row) {
        Optional<Task> there = tx.get(Tables.TASKS, row).map(Row::value);
        if (there.isEmpty()) {
            memory.waitsNoMore(Keys.TASK + row);
            release(row);
            withdraw(row);
            memory.changedNodes.addAll(memory.gone(row));
            String service = row.substring(0, row.indexOf('/'));
            tx.get(Tables.SERVICES, service)
                    .map(Row::value)
                    .filter(Service::pendingDelete)
                    .ifPresent(this::deleteWithLastTask);
            return;
        }
        Task task = there.get();
        if (task.status().state().terminal()) {
            memory.waitsNoMore(Keys.TASK + row);
            release(row);
            withdraw(row);
        } else {
            task = memory.heldTasks.containsKey(row) ? task : attempted(row, task);
            if (memory.heldTasks.containsKey(row) && task.status().state() == State.NEW && memory.onBallot.add(row)) {
                tx.cast(Ballot.NAME, Ballot.claim(row, task));
                writes++;
            }
        }
        memory.changedNodes.addAll(memory.seen(task));
    }

    private void withdraw(String task) {
        memory.onBallot.remove(task);
        tx.withdraw(Ballot.NAME, Ballot.id(task));
        writes++;
    }

    private void release(String task) {
        Optional.ofNullable(memory.heldTasks.remove(task)).ifPresent(held -> {
            memory.networks.deallocateTask(held);
            memory.deallocated = true;
        });
    }

    /** The task with its networks; as it is if it has to wait. */
    private Task attempted(String row, Task task) {
        attempt(Keys.TASK + row, () -> {
            Task now = allocate(task);
            memory.heldTasks.put(row, now);
            allocated = true;
            if (!now.equals(task)) {
                tx.put(Tables.TASKS, row, now);
                attachments += now.networks().size();
                writes++;
            }
        });
        return memory.heldTasks.getOrDefault(row, task);
    }

    private Task allocate(Task task) {
        Endpoint endpoint = Endpoint.NONE;
        List<AttachmentSpec> wanted = task.wanted();
        boolean ingress = false;
        if (!task.service().isEmpty()) {
            Service service = services.computeIfAbsent(
                            task.service(), id -> tx.get(Tables.SERVICES, id).map(Row::value))
                    .orElseThrow(() ->
                            Refused.conflict("could not find service " + task.service() + " for task " + task.id()));
            if (!allocated(service)) {
                throw Refused.conflict("service " + task.service() + " to which task " + task.id()
                        + " belongs has pending allocations");
            }
            endpoint = service.endpoint();
            ingress = service.spec().endpoint().needsIngress();
            wanted = wanted.isEmpty() ? service.spec().attached() : wanted;
        }
        List<Attachment> networks = new ArrayList<>();
        for (Attachment attachment : task.networks().isEmpty() ? attachments(ingress, wanted) : task.networks()) {
            networks.add(attachment.with(current(attachment.network().id(), task)));
        }
        return memory.networks.allocateTask(task.with(networks, endpoint));
    }

    /** Without addresses; networks that are missing are left out. */
    private List<Attachment> attachments(boolean ingress, List<AttachmentSpec> wanted) {
        Map<String, Attachment> made = new LinkedHashMap<>();
        if (ingress) {
            memory.networks.ingress().ifPresent(network -> made.put(network.id(), Attachment.of(network)));
        }
        for (AttachmentSpec each : wanted) {
            networkOf(each.target())
                    .ifPresent(network -> made.put(
                            network.id(), new Attachment(network, each.addresses(), each.aliases(), each.options())));
        }
        return List.copyOf(made.values());
    }

    private Optional<Network> networkOf(String id) {
        return networks.computeIfAbsent(
                id, read -> tx.get(Tables.NETWORKS, read).map(Row::value));
    }

    private Network current(String id, Task task) {
        if (networkOf(id).isEmpty()) {
            throw Refused.conflict("failed to retrieve network " + id + " while allocating task " + task.id());
        }
        return memory.networks
                .network(id)
                .orElseThrow(() ->
                        Refused.conflict("network " + id + " attached to task " + task.id() + " not allocated yet"));
    }

    /** Does what may fail; the object waits then. */
    private void attempt(String key, Runnable allocation) {
        try {
            allocation.run();
            memory.waitsNoMore(key);
        } catch (Refused e) {
            memory.waits(key, e.text());
        }
    }
}

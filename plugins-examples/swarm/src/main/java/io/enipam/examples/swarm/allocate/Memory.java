package io.enipam.examples.swarm.allocate;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Attachment;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.networks.NetworkAllocator;
import io.enipam.examples.swarm.pools.Turns;
import io.enipam.examples.swarm.ports.PortAllocator;
import io.enipam.examples.swarm.state.Keys;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What is allocated, as the tables said it when the row {@link #CURSOR} had the value {@link #cursor}. A transaction that allocates writes
 * another value into that row; so memory whose cursor is that of the tables holds what was committed and nothing else, and any other is
 * read anew: after a commit that failed, a conflict, a crash, and whatever another leader wrote. For one thread.
 */
final class Memory {
    static final Table<String> CURSOR = new Table<>("allocator", 1, Codec.text());
    static final String CURSOR_KEY = "cursor";

    final NetworkAllocator networks;
    final PortAllocator ports;
    String cursor;

    /** What is held of each object, as its row has it; networks are in {@link #networks}. */
    final Map<String, Service> heldServices = new HashMap<>();

    final Map<String, Node> heldNodes = new TreeMap<>();
    /** By the keys of their rows. */
    final Map<String, Task> heldTasks = new HashMap<>();

    /** The tasks that were put on the ballot since this was read, by the keys of their rows: a look at one of them writes nothing. */
    final Set<String> onBallot = new HashSet<>();

    /** How many tasks of each node are on each network. */
    private final Map<String, Map<String, Integer>> onNodes = new HashMap<>();

    /** What counts there, by the keys of the tasks' rows. */
    private final Map<String, Seen> seen = new HashMap<>();

    private record Seen(String node, Set<String> networks) {
        static final Seen NOTHING = new Seen("", Set.of());
    }

    /** Nodes whose tasks are on other networks than when the node was brought to that last. */
    final Set<String> changedNodes = new LinkedHashSet<>();

    /** The controller's keys of what was not tried since this was read, in the order of the first pass. */
    final Deque<String> untried = new ArrayDeque<>();

    /** Why something has nothing, by the controller's key, in the order in which it is tried again. */
    private final Map<String, String> waiting = new LinkedHashMap<>();

    /** Whether that is another one than at the last {@link #toldWaiting}, and whether something came to it. */
    private boolean changed = true;

    private boolean added;

    /** Whether something was given back since what waits was tried. */
    boolean deallocated;

    Instant lastRetry;

    /** Of what networks and ports give. */
    final Turns turns;

    Memory(Turns turns, NetworkAllocator networks, String cursor, Instant now) {
        this.turns = turns;
        this.networks = networks;
        this.ports = new PortAllocator(turns);
        this.cursor = cursor;
        this.lastRetry = now;
    }

    /** Whose turn it was before the other one's last transaction, which was not committed: what is made again gets the same. */
    void turnsOf(Memory dropped) {
        dropped.turns.back();
        networks.turnsOf(dropped.networks);
        ports.turnsOf(dropped.ports);
    }

    /** Reads all that is allocated, before anything new is; notes what is not for the first pass. */
    void restore(Transaction tx) {
        List<Network> allNetworks = values(Tables.NETWORKS, tx);
        List<Node> allNodes = values(Tables.NODES, tx);
        List<Service> allServices = values(Tables.SERVICES, tx);
        List<Task> allTasks = values(Tables.TASKS, tx);
        restoreNetworks(allNetworks);
        for (Node node : allNodes) {
            List<Attachment> held = new ArrayList<>();
            for (Attachment attachment : node.attachments()) {
                if (!attachment.addresses().isEmpty()) {
                    restored(Keys.NODE + node.id(), () -> held.add(networks.allocateAttachment(attachment)));
                }
            }
            heldNodes.put(node.id(), node.with(held));
        }
        for (Service service : allServices) {
            if (!service.endpoint().virtualIps().isEmpty()
                    || !service.endpoint().ports().isEmpty()) {
                restored(Keys.SERVICE + service.id(), () -> {
                    hold(service);
                    heldServices.put(service.id(), service);
                });
            }
        }
        for (Task task : allTasks) {
            seen(task);
            if (isAllocated(task)) {
                restored(Keys.TASK + Tables.key(task), () -> {
                    networks.restoreTask(task.with(
                            task.networks().stream()
                                    .filter(each -> networks.network(
                                                    each.network().id())
                                            .isPresent())
                                    .toList(),
                            task.endpoint()));
                    heldTasks.put(Tables.key(task), task);
                });
            }
        }
        // the ingress network first, so that it gets the same subnet whatever else is new
        allNetworks.stream()
                .sorted(Comparator.comparing(network -> !network.isIngress()))
                .forEach(network -> untried.add(Keys.NETWORK + network.id()));
        allNodes.forEach(node -> untried.add(Keys.NODE + node.id()));
        allServices.forEach(service -> untried.add(Keys.SERVICE + service.id()));
        allTasks.forEach(task -> untried.add(Keys.TASK + Tables.key(task)));
    }

    /** A subnet of a range may lie over those that were there before it: what these keep from being restored is tried once more. */
    private void restoreNetworks(List<Network> all) {
        List<Network> left = all.stream()
                .filter(network -> !network.driver().name().isEmpty())
                .toList();
        int before;
        do {
            before = left.size();
            for (Network network : left) {
                String key = Keys.NETWORK + network.id();
                restored(key, () -> {
                    networks.allocate(network);
                    waitsNoMore(key);
                });
            }
            left = left.stream()
                    .filter(network -> networks.network(network.id()).isEmpty())
                    .toList();
        } while (!left.isEmpty() && left.size() < before);
    }

    /** Takes what a service has, all or nothing; what it has on networks that are gone is nothing. */
    void hold(Service service) {
        ports.restore(service);
        try {
            networks.restoreService(service.with(service.endpoint()
                    .withVirtualIps(service.endpoint().virtualIps().stream()
                            .filter(vip -> networks.network(vip.network()).isPresent())
                            .toList())));
        } catch (Refused e) {
            ports.deallocate(service);
            throw e;
        }
    }

    /** One that has an address, or is past NEW and needs none. */
    private static boolean isAllocated(Task task) {
        boolean has = task.networks().stream()
                .anyMatch(attachment -> !attachment.addresses().isEmpty());
        boolean lacks = task.networks().stream()
                .anyMatch(attachment ->
                        attachment.addresses().isEmpty() && attachment.network().isOverlay());
        Task.State state = task.status().state();
        return !state.terminal() && (has || (state != Task.State.NEW && !lacks));
    }

    private void restored(String key, Runnable request) {
        try {
            request.run();
        } catch (Refused e) {
            waits(key, "what it had cannot be restored: " + e.getMessage());
        }
    }

    private static <V> List<V> values(Table<V> table, Transaction tx) {
        return tx.scan(table, "").map(Row::value).toList();
    }

    void waits(String key, String why) {
        String before = waiting.put(key, why);
        changed |= !why.equals(before);
        added |= before == null;
    }

    /** It does not wait, or not any more. */
    void waitsNoMore(String key) {
        changed |= waiting.remove(key) != null;
    }

    boolean anyWaits() {
        return !waiting.isEmpty();
    }

    /** The keys of a kind that wait. */
    List<String> waiting(String kind) {
        return waiting.keySet().stream().filter(key -> key.startsWith(kind)).toList();
    }

    /** A copy of what waits, where it has changed since the last one. */
    Optional<Map<String, String>> toldWaiting() {
        Optional<Map<String, String>> told = changed ? Optional.of(Map.copyOf(waiting)) : Optional.empty();
        changed = false;
        return told;
    }

    /** Whether what waits has to be looked at: something came to it, or was given back. */
    boolean retryChanged() {
        deallocated &= anyWaits();
        boolean look = deallocated || (added && anyWaits());
        added = false;
        return look;
    }

    /** Notes on which node a task is, and with which networks. Returns the nodes that have others now. */
    Set<String> seen(Task task) {
        boolean counts = !task.node().isEmpty() && !task.status().state().terminal();
        return counted(
                Tables.key(task),
                counts
                        ? new Seen(
                                task.node(),
                                task.networks().stream()
                                        .map(each -> each.network().id())
                                        .collect(Collectors.toSet()))
                        : Seen.NOTHING);
    }

    /** The task is gone. Returns the nodes that have other networks now. */
    Set<String> gone(String task) {
        return counted(task, Seen.NOTHING);
    }

    private Set<String> counted(String task, Seen now) {
        Seen before = Optional.ofNullable(now.equals(Seen.NOTHING) ? seen.remove(task) : seen.put(task, now))
                .orElse(Seen.NOTHING);
        Set<String> changed = new TreeSet<>();
        if (now.equals(before)) {
            return changed;
        }
        Map<String, Integer> onNow = onNodes.computeIfAbsent(now.node(), node -> new TreeMap<>());
        for (String network : now.networks()) {
            if (onNow.merge(network, 1, Integer::sum) == 1) {
                changed.add(now.node());
            }
        }
        Map<String, Integer> onBefore = onNodes.computeIfAbsent(before.node(), node -> new TreeMap<>());
        for (String network : before.networks()) {
            if (onBefore.merge(network, -1, Integer::sum) == 0) {
                onBefore.remove(network);
                changed.add(before.node());
            }
        }
        return changed;
    }

    /** The networks on which a node's load balancers need an address, the ingress network last. */
    Set<String> networksOf(String node) {
        Set<String> wanted = new LinkedHashSet<>();
        onNodes.getOrDefault(node, Map.of()).keySet().stream()
                .filter(id -> networks.network(id)
                        .filter(network -> network.isOverlay() && !network.isIngress())
                        .isPresent())
                .forEach(wanted::add);
        networks.ingress().map(Network::id).ifPresent(wanted::add);
        return wanted;
    }

    /** How much is held, for invariants. */
    List<Integer> held() {
        List<Integer> held = new ArrayList<>(networks.held());
        held.add(ports.taken());
        return held;
    }
}

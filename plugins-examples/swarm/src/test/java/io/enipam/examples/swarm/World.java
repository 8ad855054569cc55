package io.enipam.examples.swarm;

import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Row;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A swarm whose objects a test writes as a store has them, without the checks of the control API. For one thread. */
final class World implements AutoCloseable {
    static final Duration RETRY = Duration.ofMinutes(5);

    final InMemoryJournal store = new InMemoryJournal();
    final InMemoryJournal voters = new InMemoryJournal();
    final TestClock clock = TestClock.at(Instant.parse("2026-01-02T03:04:05Z"));
    final Replica replica;

    World() {
        this(Map.of());
    }

    World(Map<String, List<String>> settings) {
        replica = new Replica(store, voters, clock, settings);
    }

    /** The allocator begins, and does what there is to do. */
    void start() {
        replica.lead();
        replica.drain();
    }

    /** A change of the store, and what follows of it. */
    void then(Consumer<Transaction> change) {
        change(change);
        replica.drain();
    }

    void change(Consumer<Transaction> change) {
        replica.journal().update(change).toCompletableFuture().join();
    }

    /** The interval is over after which what waits is tried again. */
    void later() {
        clock.move(RETRY.plusSeconds(1));
        replica.drain();
    }

    // ---- what there is

    Network network(String id) {
        return replica.journal()
                .read(tx -> tx.get(Tables.NETWORKS, id).orElseThrow().value());
    }

    /** Of a network. */
    long version(String id) {
        return replica.journal()
                .read(tx -> tx.get(Tables.NETWORKS, id).orElseThrow().revision());
    }

    Service service(String id) {
        return replica.journal()
                .read(tx -> tx.get(Tables.SERVICES, id).orElseThrow().value());
    }

    Node node(String id) {
        return replica.journal()
                .read(tx -> tx.get(Tables.NODES, id).orElseThrow().value());
    }

    Task task(String id) {
        return tasks().stream().filter(task -> task.id().equals(id)).findFirst().orElseThrow();
    }

    List<Network> networks() {
        return replica.journal()
                .read(tx -> tx.scan(Tables.NETWORKS, "").map(Row::value).toList());
    }

    List<Service> services() {
        return replica.journal()
                .read(tx -> tx.scan(Tables.SERVICES, "").map(Row::value).toList());
    }

    List<Node> nodes() {
        return replica.journal()
                .read(tx -> tx.scan(Tables.NODES, "").map(Row::value).toList());
    }

    List<Task> tasks() {
        return replica.journal()
                .read(tx -> tx.scan(Tables.TASKS, "").map(Row::value).toList());
    }

    /** As {@code NETWORK=ADDRESS}. */
    List<String> virtualIps(String service) {
        return service(service).endpoint().virtualIps().stream()
                .map(vip -> vip.network() + "=" + vip.address())
                .toList();
    }

    /** As {@code tcp:8080->80}. */
    List<String> ports(String service) {
        return service(service).endpoint().ports().stream()
                .map(port ->
                        port.protocol().name().toLowerCase(Locale.ROOT) + ":" + port.published() + "->" + port.target())
                .toList();
    }

    List<Integer> published(String service) {
        return service(service).endpoint().ports().stream().map(Port::published).toList();
    }

    List<String> addresses(String task) {
        return task(task).networks().stream()
                .flatMap(attachment -> attachment.addresses().stream())
                .toList();
    }

    /** As {@code NETWORK=ADDRESS}. */
    List<String> attachments(String node) {
        return node(node).attachments().stream()
                .map(each -> each.network().id() + "=" + String.join(",", each.addresses()))
                .toList();
    }

    State state(String task) {
        return task(task).status().state();
    }

    // ---- what a test makes

    static Service service(String id, List<String> networks, Port... ports) {
        Endpoint.Spec endpoint = new Endpoint.Spec(Endpoint.Mode.VIP, List.of(ports));
        return Objects.service(id, networks, endpoint);
    }

    static Port tcp(int published, int target) {
        return new Port("", Port.Protocol.TCP, target, published, Port.Mode.INGRESS);
    }

    static Port udp(int published, int target) {
        return new Port("", Port.Protocol.UDP, target, published, Port.Mode.INGRESS);
    }

    static Port host(int published, int target) {
        return new Port("", Port.Protocol.TCP, target, published, Port.Mode.HOST);
    }

    void put(Object... objects) {
        change(tx -> put(tx, objects));
    }

    static void put(Transaction tx, Object... objects) {
        for (Object object : objects) {
            if (object instanceof Network network) {
                tx.put(Tables.NETWORKS, network.id(), network);
            } else if (object instanceof Service service) {
                tx.put(Tables.SERVICES, service.id(), service);
            } else if (object instanceof Task task) {
                tx.put(Tables.TASKS, Tables.key(task), task);
            } else if (object instanceof Node node) {
                tx.put(Tables.NODES, node.id(), node);
            } else {
                throw new IllegalArgumentException(object + " is no object of a swarm");
            }
        }
    }

    void create(Object... objects) {
        for (Object object : objects) {
            then(tx -> put(tx, object));
        }
    }

    /** Another specification of a service, whose endpoint stays as it is. */
    void update(String service, UnaryOperator<Endpoint.Spec> change) {
        then(tx -> {
            Service was = tx.get(Tables.SERVICES, service).orElseThrow().value();
            Service.Spec spec = was.spec();
            put(
                    tx,
                    was.with(new Service.Spec(
                            spec.name(),
                            spec.labels(),
                            spec.taskNetworks(),
                            spec.networks(),
                            change.apply(spec.endpoint()))));
        });
    }

    void deleteService(String... ids) {
        then(tx -> Arrays.stream(ids).forEach(id -> tx.delete(Tables.SERVICES, id)));
    }

    void deleteTask(String id) {
        then(tx -> tx.delete(Tables.TASKS, Tables.key(task(id))));
    }

    void become(String task, State state) {
        then(tx -> put(tx, task(task).with(new Task.Status(state, "", 0))));
    }

    static List<Port> ports(Port... ports) {
        return Stream.of(ports).toList();
    }

    @Override
    public void close() {
        replica.close();
    }
}

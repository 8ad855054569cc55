package io.enipam.examples.swarm;

import io.enipam.examples.swarm.model.Attachment;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Network.Driver;
import io.enipam.examples.swarm.model.Network.Ipam;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.state.Control;
import io.enipam.examples.swarm.state.Keys;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Host;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Role;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.testkit.ControllerContract;
import io.enipam.sdk.testkit.TestContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The rules every controller keeps; the tests are inherited. */
class AllocatorContractTest extends ControllerContract {
    private static final String FRONT = "front";
    private static final String WEB = "web";
    private static final int TASKS = 6;

    /** Those of the part that was opened last, through which users change objects. */
    private Journal tables;

    private long version;

    @Override
    protected Extension extension() {
        return Extension.of("swarm", Set.of(Role.CLUSTER), this::open);
    }

    private SwarmPart open(Host host) {
        tables = host.journal();
        return new SwarmPart(host);
    }

    @Override
    protected void prepare(TestContext.Builder host) {
        host.settings(new SwarmPlugin().settings()).values(Map.of("retry_interval", List.of("1ms")));
    }

    @Override
    protected Set<String> markers() {
        return Set.of("allocator");
    }

    @Override
    protected List<String> keys() {
        return List.of(Keys.NETWORK + FRONT, Keys.NODE + "node", Keys.SERVICE + WEB, "tasks");
    }

    @Override
    protected void change(String key, Random random) {
        String what = "change " + ++version;
        switch (key.charAt(0)) {
            case 'n' ->
                change(tx -> {
                    if (key.startsWith(Keys.NODE)) {
                        node(what, tx);
                    } else {
                        network(what, random, tx);
                    }
                });
            case 's' -> change(tx -> service(random, tx));
            default -> change(tx -> tasks(what, random, tx));
        }
    }

    private void change(Consumer<Transaction> change) {
        tables.update(change).toCompletableFuture().join();
    }

    /** One that no service uses comes and goes. */
    private static void network(String what, Random random, Transaction tx) {
        Optional<Row<Network>> row = tx.get(Tables.NETWORKS, FRONT);
        if (row.isEmpty()) {
            Control.createNetwork(FRONT, spec(what), tx);
        } else if (random.nextInt(3) == 0 && tx.get(Tables.SERVICES, WEB).isEmpty()) {
            tx.delete(Tables.NETWORKS, FRONT);
        } else {
            Control.updateNetwork(FRONT, row.get().revision(), spec(what), tx);
        }
    }

    private static Network.Spec spec(String what) {
        return new Network.Spec(
                FRONT, Map.of("what", what), Driver.NONE, new Ipam(Driver.NONE, List.of()), false, false);
    }

    private static void node(String what, Transaction tx) {
        Optional<Row<Node>> row = tx.get(Tables.NODES, "node");
        String name = what.replace(' ', '-');
        if (row.isEmpty()) {
            Control.createNode(Node.of("node", name), tx);
        } else {
            Control.updateNode("node", row.get().revision(), name, tx);
        }
    }

    private static void service(Random random, Transaction tx) {
        Optional<Row<Service>> row = tx.get(Tables.SERVICES, WEB);
        Port port = new Port("", Port.Protocol.TCP, 80, 1 + random.nextInt(60_000), Port.Mode.HOST);
        List<AttachmentSpec> networks =
                tx.get(Tables.NETWORKS, FRONT).isPresent() ? List.of(AttachmentSpec.to(FRONT)) : List.of();
        if (row.isEmpty()) {
            Control.createService(
                    WEB,
                    new Service.Spec(
                            WEB, Map.of(), networks, List.of(), new Endpoint.Spec(Endpoint.Mode.VIP, List.of(port))),
                    tx);
        } else {
            Service.Spec was = row.get().value().spec();
            Control.updateService(
                    WEB,
                    row.get().revision(),
                    new Service.Spec(
                            WEB,
                            Map.of("port", Integer.toString(port.published())),
                            was.taskNetworks(),
                            was.networks(),
                            new Endpoint.Spec(Endpoint.Mode.VIP, List.of(port))),
                    tx);
        }
    }

    /** Of the service where there is one, else by itself; the oldest one says something else where there are enough. */
    private static void tasks(String what, Random random, Transaction tx) {
        List<Row<Task>> all = tx.scan(Tables.TASKS, "").toList();
        if (all.size() < TASKS) {
            String service = tx.get(Tables.SERVICES, WEB).isPresent() ? WEB : "";
            String id = "task-" + all.size();
            Control.createTask(
                    new Task(
                            id,
                            service,
                            id,
                            tx.get(Tables.NODES, "node").isPresent() ? "node" : "",
                            List.of(),
                            List.of(),
                            Endpoint.NONE,
                            new Task.Status(State.NEW, what, 0)),
                    tx);
        } else {
            Row<Task> one = all.get(random.nextInt(all.size()));
            tx.put(Tables.TASKS, one.key(), one.value().with(new Task.Status(State.NEW, what, 0)));
        }
    }

    @Override
    protected Set<String> outside() {
        return Set.of();
    }

    @Override
    protected Optional<String> unwanted(Journal read) {
        return read.read(tx -> Stream.of(
                        all(Tables.NETWORKS, tx).stream()
                                .filter(network -> network.driver().name().isEmpty()),
                        all(Tables.SERVICES, tx).stream()
                                .filter(service -> service.endpoint()
                                                        .virtualIps()
                                                        .size()
                                                != service.spec().attached().size()
                                        || !service.endpoint()
                                                .spec()
                                                .equals(service.spec().endpoint())),
                        all(Tables.TASKS, tx).stream()
                                .filter(task -> !task.service().isEmpty()
                                        && addresses(task).size()
                                                != tx.get(Tables.SERVICES, WEB)
                                                        .orElseThrow()
                                                        .value()
                                                        .spec()
                                                        .attached()
                                                        .size()))
                .flatMap(each -> each)
                .map(each -> each + " has not what it wants")
                .findFirst());
    }

    @Override
    protected Optional<String> violated(Journal read) {
        return read.read(tx -> {
            List<String> given = new ArrayList<>();
            all(Tables.TASKS, tx).forEach(task -> given.addAll(addresses(task)));
            all(Tables.NODES, tx).forEach(node -> node.attachments().forEach(each -> given.addAll(each.addresses())));
            all(Tables.SERVICES, tx)
                    .forEach(service -> service.endpoint().virtualIps().forEach(vip -> given.add(vip.address())));
            Set<String> seen = new HashSet<>();
            return given.stream()
                    .filter(address -> !seen.add(address))
                    .map(address -> address + " is given twice")
                    .findFirst();
        });
    }

    private static List<String> addresses(Task task) {
        return task.networks().stream()
                .map(Attachment::addresses)
                .flatMap(List::stream)
                .toList();
    }

    private static <V> List<V> all(Table<V> table, Transaction tx) {
        return tx.scan(table, "").map(Row::value).toList();
    }
}

package io.enipam.examples.swarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.licences.LicenceVoter;
import io.enipam.examples.swarm.model.Attachment;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.state.Control;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Extension;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Role;
import io.enipam.sdk.Row;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.sdk.Vote;
import io.enipam.sdk.Voter;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Networks, services, tasks and nodes come, change and go, while commits fail, processes end, two replicas lead in turn and at once, and
 * voters hang, come and go. A history depends on its seed alone: {@code -Denipam.swarm.first=SEED -Denipam.swarm.seeds=1}.
 */
class SimulationTest {
    private static final long FIRST = Long.getLong("enipam.swarm.first", 1);
    private static final long SEEDS = Long.getLong("enipam.swarm.seeds", 100);
    private static final int STEPS = 250;
    private static final int STORY = 60;
    private static final Instant BEGIN = Instant.parse("2026-01-02T03:04:05Z");

    @Test
    void nothingIsGivenTwiceAndNothingIsLostWhateverFails() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            new History(seed).run();
        }
    }

    private static final class History {
        private final long seed;
        private final Random random;
        private final InMemoryJournal store = new InMemoryJournal();
        private final InMemoryJournal voters = new InMemoryJournal();
        private final TestClock clock = TestClock.at(BEGIN);
        private final List<Replica> replicas = new ArrayList<>();
        private final Deque<String> story = new ArrayDeque<>();
        private final int calm;
        private int failing;
        private int made;

        History(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.calm = List.of(6, 20, 60).get(random.nextInt(3));
            // 16 subnets of 6 addresses each, so that all runs out
            Map<String, List<String>> settings = Map.of(
                    "default_addr_pool", List.of("10.0.0.0/25"),
                    "default_addr_pool_mask_length", List.of("29"),
                    "licences", List.of("8"));
            for (int i = 0; i < 2; i++) {
                replicas.add(new Replica(store, voters, clock, settings));
            }
        }

        void run() {
            try {
                replicas.get(0).lead();
                register(LicenceVoter.extension("swarm"));
                for (int step = 0; step < STEPS; step++) {
                    step();
                    requireNothingTwice();
                }
                settle();
                requireSettled();
                requireTheSameAfterARestart();
                requireNothingLost();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage() + "\n" + String.join("\n", story), e);
            } finally {
                replicas.forEach(Replica::close);
            }
        }

        private void note(String what) {
            story.add(what);
            if (story.size() > STORY) {
                story.remove();
            }
        }

        private void register(Extension voter) {
            replicas.forEach(replica -> replica.registered.put(voter.name(), voter));
        }

        /** One that says yes to all but every fifth task. */
        private static Extension picky() {
            return Extension.voter("picky", Set.of(Role.CLUSTER), "swarm", host -> (Voter) (claim, tx) ->
                    claim.id().text().endsWith("5") ? Vote.no(ErrorKind.CONFLICT, "not this one") : Vote.yes());
        }

        private void step() {
            if (failing > 0 && --failing == 0) {
                store.failing(false);
                voters.failing(false);
            }
            Replica replica = replicas.get(random.nextInt(2));
            if (random.nextInt(calm) == 0) {
                fail(replica);
                return;
            }
            switch (random.nextInt(10)) {
                case 0, 1, 2 -> changeSomething();
                case 3, 4 -> {
                    if (replica.ballot()) {
                        note("ballot");
                    }
                }
                case 5 -> clock.move(Duration.ofSeconds(random.nextInt(100)));
                default -> reconcile(replica);
            }
        }

        private void reconcile(Replica replica) {
            List<String> due = replica.due();
            if (replica.leads() && !due.isEmpty()) {
                String key = due.get(random.nextInt(due.size()));
                note(replicas.indexOf(replica) + " reconciles " + key);
                replica.reconcile(key);
            }
        }

        private void fail(Replica replica) {
            int which = replicas.indexOf(replica);
            switch (random.nextInt(7)) {
                case 0 -> {
                    note("crash of " + which);
                    boolean led = replica.leads();
                    replica.crash();
                    if (led) {
                        replica.lead();
                    }
                }
                case 1 -> {
                    note(which + " leads, and the other one goes on for a while");
                    replica.lead();
                }
                case 2 -> {
                    note(which + " leads in the place of the other one");
                    replicas.get(1 - which).follow();
                    replica.lead();
                }
                case 3 -> {
                    note("commits fail");
                    store.failing(true);
                    failing = 1 + random.nextInt(6);
                }
                case 4 -> {
                    note("commits of voters fail");
                    voters.failing(true);
                    failing = 1 + random.nextInt(6);
                }
                case 5 -> {
                    String name = random.nextBoolean() ? LicenceVoter.NAME : "picky";
                    boolean hangs = random.nextBoolean();
                    note(name + (hangs ? " hangs" : " works"));
                    replicas.forEach(each -> {
                        if (hangs) {
                            each.hanging.add(name);
                        } else {
                            each.hanging.remove(name);
                        }
                    });
                }
                default -> {
                    boolean there = replica.registered.containsKey("picky");
                    note("picky " + (there ? "goes" : "comes"));
                    if (there) {
                        replicas.forEach(each -> each.registered.remove("picky"));
                    } else {
                        register(picky());
                    }
                }
            }
        }

        // ---- users

        private void changeSomething() {
            try {
                switch (random.nextInt(12)) {
                    case 0, 1 -> makeANetwork();
                    case 2 -> removeANetwork();
                    case 3, 4 -> makeAService();
                    case 5 -> changeAService();
                    case 6 -> removeAService();
                    case 7, 8, 9 -> makeATask();
                    case 10 -> endATask();
                    default -> changeANode();
                }
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof Refused) && !(e.getCause() instanceof JournalException)) {
                    throw e;
                }
            }
        }

        private void change(Consumer<Transaction> change) {
            replicas.get(0).journal().update(change).toCompletableFuture().join();
        }

        private <T> Optional<T> any(List<T> all) {
            return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
        }

        private <V> List<V> all(Table<V> table) {
            return store.read(tx -> tx.scan(table, "").map(Row::value).toList());
        }

        private void makeANetwork() {
            String id = "n" + ++made;
            boolean ingress = random.nextInt(3) == 0;
            List<Network.Subnet> subnets = random.nextInt(4) == 0
                    ? List.of(Objects.subnet("10.0.0." + 8 * random.nextInt(16) + "/29"))
                    : List.of();
            String driver = !ingress && random.nextInt(6) == 0 ? "bridge" : "";
            note(id + " is made" + (ingress ? ", ingress" : "") + subnets);
            change(tx -> Control.createNetwork(
                    id,
                    Objects.net(id, driver, ingress, subnets.toArray(Network.Subnet[]::new))
                            .spec(),
                    tx));
        }

        private void removeANetwork() {
            any(all(Tables.NETWORKS)).ifPresent(network -> {
                note(network.id() + " is removed");
                if (random.nextBoolean()) {
                    change(tx -> World.put(
                            tx, Control.network(network.id(), tx).value().deleted()));
                } else {
                    change(tx -> Control.removeNetwork(network.id(), tx));
                }
            });
        }

        private Service.Spec spec(String id) {
            List<Network> networks = all(Tables.NETWORKS);
            List<String> attached = new TreeSet<>(IntStream.range(0, random.nextInt(3))
                            .mapToObj(i -> any(networks).map(Network::id).orElse("n0"))
                            .toList())
                    .stream().toList();
            boolean dns = random.nextInt(5) == 0;
            List<Port> ports = new ArrayList<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                ports.add(new Port(
                        "p" + i,
                        random.nextBoolean() ? Port.Protocol.TCP : Port.Protocol.UDP,
                        80 + i,
                        random.nextBoolean() ? 0 : 30_000 + random.nextInt(5),
                        dns || random.nextInt(4) == 0 ? Port.Mode.HOST : Port.Mode.INGRESS));
            }
            Endpoint.Spec endpoint = random.nextInt(8) == 0
                    ? Endpoint.Spec.NONE
                    : new Endpoint.Spec(dns ? Endpoint.Mode.DNSRR : Endpoint.Mode.VIP, ports);
            return new Service.Spec(
                    id, Map.of(), attached.stream().map(AttachmentSpec::to).toList(), List.of(), endpoint);
        }

        /** With the checks of the control API, or without: the allocator has to bear both. */
        private void makeAService() {
            String id = "s" + ++made;
            Service.Spec spec = spec(id);
            note(id + " is made: " + spec);
            if (random.nextBoolean()) {
                change(tx -> Control.createService(id, spec, tx));
            } else {
                change(tx -> World.put(tx, Service.of(id, spec)));
            }
        }

        private void changeAService() {
            any(all(Tables.SERVICES)).ifPresent(service -> {
                Service.Spec spec = spec(service.id());
                note(service.id() + " becomes " + spec);
                change(tx ->
                        World.put(tx, Control.service(service.id(), tx).value().with(spec)));
            });
        }

        private void removeAService() {
            any(all(Tables.SERVICES)).ifPresent(service -> {
                note(service.id() + " is removed");
                change(tx -> Control.removeService(service.id(), tx));
            });
        }

        private void makeATask() {
            String id = "t" + ++made;
            String service = random.nextInt(4) == 0
                    ? ""
                    : any(all(Tables.SERVICES)).map(Service::id).orElse("");
            String node = random.nextBoolean()
                    ? ""
                    : any(all(Tables.NODES)).map(Node::id).orElse("");
            List<AttachmentSpec> wanted = !service.isEmpty()
                    ? List.of()
                    : any(all(Tables.NETWORKS)).map(Network::id).map(AttachmentSpec::to).stream()
                            .toList();
            note(id + " of " + service + " is made on " + node);
            Task task = new Task(
                    id, service, id, node, wanted, List.of(), Endpoint.NONE, new Task.Status(State.NEW, "", 0));
            change(tx -> Control.createTask(task, tx));
        }

        private void endATask() {
            any(all(Tables.TASKS)).ifPresent(task -> {
                boolean deleted = random.nextInt(3) > 0;
                note(task.id() + (deleted ? " is deleted" : " ends"));
                change(tx -> {
                    Optional<Task> now = tx.get(Tables.TASKS, Tables.key(task)).map(Row::value);
                    if (deleted) {
                        Control.removeTask(Tables.key(task), tx);
                    } else if (now.isPresent()) {
                        World.put(tx, now.get().with(new Task.Status(State.FAILED, "", 0)));
                    }
                });
            });
        }

        private void changeANode() {
            List<Node> nodes = all(Tables.NODES);
            if (nodes.size() < 3 && random.nextInt(3) > 0) {
                String id = "h" + ++made;
                note(id + " is made");
                change(tx -> Control.createNode(Node.of(id, id), tx));
            } else {
                any(nodes).ifPresent(node -> {
                    note(node.id() + " is removed");
                    change(tx -> tx.delete(Tables.NODES, node.id()));
                });
            }
        }

        // ---- invariants

        /** I1, I3, I4, I7, at any time. */
        private void requireNothingTwice() {
            List<Network> networks = all(Tables.NETWORKS);
            Map<String, String> taken = new HashMap<>();
            Map<String, String> vxlans = new HashMap<>();
            Set<String> there = new TreeSet<>();
            for (Network network : networks) {
                there.add(network.id());
                network.ipam().subnets().forEach(subnet -> {
                    hold(taken, "subnet " + subnet.subnet(), network.id());
                    hold(taken, network.id() + " " + subnet.gateway(), "its gateway");
                });
                network.driver().options().values().forEach(list -> {
                    for (String vxlan : list.split(",")) {
                        hold(vxlans, "vxlan " + vxlan, network.id());
                    }
                });
            }
            assertThat(networks.stream()
                            .filter(network -> network.isIngress()
                                    && !network.driver().name().isEmpty())
                            .count())
                    .isLessThan(2);
            for (Service service : all(Tables.SERVICES)) {
                service.endpoint().virtualIps().stream()
                        .filter(vip -> !vip.address().isEmpty() && there.contains(vip.network()))
                        .forEach(vip -> hold(taken, address(vip.network(), vip.address()), service.id()));
                service.endpoint().ports().stream()
                        .filter(port -> port.mode() == Port.Mode.INGRESS)
                        .forEach(port -> hold(taken, port.protocol() + " " + port.published(), service.id()));
            }
            all(Tables.NODES).forEach(node -> hold(taken, there, node.id(), node.attachments()));
            for (Task task : all(Tables.TASKS)) {
                if (!task.status().state().terminal()) {
                    hold(taken, there, task.id(), task.networks());
                    if (task.status().state() != State.NEW) {
                        requireAddresses(task);
                    }
                }
            }
        }

        private static void hold(Map<String, String> taken, Set<String> there, String holder, List<Attachment> all) {
            all.stream()
                    .filter(each -> there.contains(each.network().id()))
                    .forEach(each -> each.addresses()
                            .forEach(text -> hold(taken, address(each.network().id(), text), holder)));
        }

        private static String address(String network, String text) {
            return network + " " + text.substring(0, text.indexOf('/'));
        }

        private static void hold(Map<String, String> taken, String what, String holder) {
            String other = taken.put(what, holder);
            if (other != null) {
                throw new AssertionError(what + " is held by " + other + " and by " + holder);
            }
        }

        private static void requireAddresses(Task task) {
            for (Attachment attachment : task.networks()) {
                boolean overlay = attachment.network().driver().name().equals("overlay");
                assertThat(attachment.addresses()).as(task.id()).hasSize(overlay ? 1 : 0);
            }
        }

        /** Nothing fails any more, one replica leads, and all that can be done is done. */
        private void settle() {
            note("from now on nothing fails");
            store.failing(false);
            voters.failing(false);
            int leader = random.nextInt(2);
            replicas.get(1 - leader).follow();
            replicas.get(leader).lead();
            replicas.forEach(replica -> replica.hanging.clear());
            for (int round = 0; round < 5; round++) {
                replicas.get(leader).drain();
                clock.move(Duration.ofMinutes(6));
                requireNothingTwice();
            }
            replicas.get(leader).drain();
        }

        private Replica leader() {
            return replicas.stream().filter(Replica::leads).findFirst().orElseThrow();
        }

        /** What has not what it wants waits with a reason; no task is lost on its way through the ballot. */
        private void requireSettled() {
            Map<String, String> waiting = ((SwarmPart) leader().part()).waiting();
            for (Network network : all(Tables.NETWORKS)) {
                require(!network.driver().name().isEmpty() || waiting.containsKey("network/" + network.id()), network);
            }
            long onBallot = 0;
            for (Task task : all(Tables.TASKS)) {
                String key = Tables.key(task);
                boolean stands =
                        leader().ballots().tally("swarm", new ClaimId(key)).isPresent();
                onBallot += stands ? 1 : 0;
                State state = task.status().state();
                require(state.terminal() != stands || waiting.containsKey("task/" + key), task);
                require(state != State.NEW || stands || waiting.containsKey("task/" + key), task);
            }
            assertThat(leader().ballots().all()).hasSize((int) onBallot);
            for (Service service : all(Tables.SERVICES)) {
                boolean tasks = store.read(
                        tx -> Control.tasks(service.id(), tx).findAny().isPresent());
                require(!service.pendingDelete() || tasks, service);
            }
        }

        private static void require(boolean holds, Object what) {
            if (!holds) {
                throw new AssertionError("not as it has to be: " + what);
            }
        }

        /** I5. A task that is NEW and has no addresses may get others, as its service is now: so that is done first. */
        private void requireTheSameAfterARestart() {
            List<Task> allocated = tasksWithAddresses();
            restart();
            assertThat(tasksWithAddresses()).containsAll(allocated);
            List<Object> before = objects();
            restart();
            assertThat(objects()).isEqualTo(before);
        }

        private List<Task> tasksWithAddresses() {
            return all(Tables.TASKS).stream()
                    .filter(task -> task.networks().stream()
                            .anyMatch(each -> !each.addresses().isEmpty()))
                    .toList();
        }

        private void restart() {
            leader().crash();
            replicas.get(0).lead();
            replicas.get(0).drain();
        }

        private List<Object> objects() {
            List<Object> objects = new ArrayList<>(all(Tables.NETWORKS));
            objects.addAll(all(Tables.SERVICES));
            objects.addAll(all(Tables.TASKS));
            objects.addAll(all(Tables.NODES));
            return objects;
        }

        /** I2: when all objects are gone, all is there for others. */
        private void requireNothingLost() {
            change(tx -> {
                all(Tables.TASKS).forEach(task -> tx.delete(Tables.TASKS, Tables.key(task)));
                all(Tables.SERVICES).forEach(service -> tx.delete(Tables.SERVICES, service.id()));
                all(Tables.NODES).forEach(node -> tx.delete(Tables.NODES, node.id()));
                all(Tables.NETWORKS).forEach(network -> tx.delete(Tables.NETWORKS, network.id()));
            });
            Replica leader = leader();
            leader.drain();
            assertThat(((SwarmPart) leader.part()).held()).allMatch(held -> held == 0);
            assertThat(leader.ballots().all()).isEmpty();
        }
    }
}

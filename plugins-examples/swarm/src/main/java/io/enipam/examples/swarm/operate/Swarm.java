package io.enipam.examples.swarm.operate;

import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.state.Control;
import io.enipam.examples.swarm.state.Keys;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Host;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Row;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The swarm's tables as commands use them. Thread-safe. */
final class Swarm {
    static final String NOUN = "swarm";
    static final String NAMES = "[A-Za-z0-9][A-Za-z0-9_.-]{0,127}";
    private static final int ID_LENGTH = 25;
    private static final int BASE = 36;
    /** What fits into so many digits. */
    private static final int ID_BITS = 129;

    private static final int DEADLINE = 20;

    private final Host host;
    /** Of what waits, where this replica does not lead. */
    static final String ASK_LEADER = "the leader knows what waits, and why: ask it; status names it";

    private final Supplier<Map<String, String>> waiting;
    private final BooleanSupplier leads;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param waiting why objects wait, by {@code KIND/ROW}
     * @param leads whether this replica knows that
     */
    Swarm(Host host, Supplier<Map<String, String>> waiting, BooleanSupplier leads) {
        this.host = host;
        this.waiting = waiting;
        this.leads = leads;
    }

    Host host() {
        return host;
    }

    Map<String, String> waiting() {
        return waiting.get();
    }

    boolean leads() {
        return leads.getAsBoolean();
    }

    /**
     * Why an object waits.
     *
     * @param key {@code KIND/ROW}
     * @param lacks whether its row lacks something
     * @param otherwise if it does not wait
     */
    String waits(String key, boolean lacks, String otherwise) {
        return lacks && !leads() ? ASK_LEADER : waiting().getOrDefault(key, otherwise);
    }

    /** A new id, like those of swarmkit: one draw of 129 bits, of which each costs a part of a hash. */
    String id() {
        String drawn = new BigInteger(ID_BITS, random).toString(BASE);
        return "0".repeat(ID_LENGTH - drawn.length()) + drawn;
    }

    long now() {
        return host.clock().millis();
    }

    <R> R read(Function<Transaction, R> query) {
        return host.journal().read(query);
    }

    /** Ends a transaction that was only to be looked at. */
    private static final class Dry extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Object result;

        Dry(Object result) {
            super("dry run", null, false, false);
            this.result = result;
        }
    }

    /**
     * Changes something; with a dry run all is done but the commit.
     *
     * @throws FactoryException if it is refused, or the tables do not take it
     */
    <R> R change(Call call, Function<Transaction, R> change) {
        return change(call.dryRun(), change);
    }

    /** The same for one that is no command. */
    @SuppressWarnings("unchecked") // what a dry run carries is what the change answered
    <R> R change(boolean dryRun, Function<Transaction, R> change) {
        try {
            return host.journal()
                    .commit(tx -> {
                        R result = change.apply(tx);
                        if (dryRun) {
                            throw new Dry(result);
                        }
                        return result;
                    })
                    .toCompletableFuture()
                    .get(DEADLINE, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Dry dry) {
                return (R) dry.result;
            }
            if (e.getCause() instanceof FactoryException refused) {
                throw refused;
            }
            if (e.getCause() instanceof JournalException failed) {
                throw new FactoryException(failed.kind(), String.valueOf(failed.getMessage()), failed);
            }
            throw new IllegalStateException("a change of the swarm failed", e.getCause());
        } catch (TimeoutException e) {
            throw new FactoryException(
                    ErrorKind.DEADLINE_EXCEEDED, "the tables did not take it within " + DEADLINE + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FactoryException(ErrorKind.UNAVAILABLE, "interrupted", e);
        }
    }

    // ---- objects

    static Row<Network> network(String typed, Transaction tx) {
        return Control.find(
                "network",
                Tables.NETWORKS,
                typed,
                Network::id,
                each -> each.spec().name(),
                tx);
    }

    static Row<Service> service(String typed, Transaction tx) {
        return Control.find(
                "service",
                Tables.SERVICES,
                typed,
                Service::id,
                each -> each.spec().name(),
                tx);
    }

    static Row<Node> node(String typed, Transaction tx) {
        return Control.find("node", Tables.NODES, typed, Node::id, Node::name, tx);
    }

    static Row<Task> task(String typed, Transaction tx) {
        return Control.find("task", Tables.TASKS, typed, Task::id, Task::name, tx);
    }

    static <V> List<V> all(Table<V> table, Transaction tx) {
        return tx.scan(table, "").map(Row::value).toList();
    }

    /** The names of networks, by id. */
    static Map<String, String> networkNames(Transaction tx) {
        Map<String, String> names = new HashMap<>();
        all(Tables.NETWORKS, tx)
                .forEach(network -> names.put(network.id(), network.spec().name()));
        return names;
    }

    // ---- what is shown

    /** As docker service ps lists them: by service and slot. */
    private static final Comparator<Task> BY_SLOT = Comparator.comparing((Task task) ->
                    task.name().substring(0, Math.max(0, task.name().lastIndexOf('.'))))
            .thenComparingInt(Task::slot)
            .thenComparing(Task::id);

    /** Tasks, with their addresses or what they wait for. */
    DiagnosticTable tasks(List<Task> tasks, Transaction tx) {
        Map<String, String> nodes = new HashMap<>();
        all(Tables.NODES, tx).forEach(node -> nodes.put(node.id(), node.name()));
        List<List<String>> rows = tasks.stream()
                .sorted(BY_SLOT)
                .map(task -> List.of(
                        task.id(),
                        task.name(),
                        nodes.getOrDefault(task.node(), "-"),
                        task.status().state().toString(),
                        joined(task.networks().stream().flatMap(each -> each.addresses().stream())),
                        waits(
                                Keys.TASK + Tables.key(task),
                                task.status().state() == Task.State.NEW,
                                task.status().message().isEmpty()
                                        ? "-"
                                        : task.status().message())))
                .toList();
        return new DiagnosticTable(List.of("ID", "NAME", "NODE", "STATE", "ADDRESSES", "MESSAGE"), rows);
    }

    static String joined(Stream<String> texts) {
        String joined = texts.filter(text -> !text.isEmpty()).collect(Collectors.joining(" "));
        return joined.isEmpty() ? "-" : joined;
    }

    // ---- commands

    static final Setting<String> NETWORK = object("network", "The network: its name, or its id.");
    static final Setting<String> SERVICE = object("service", "The service: its name, or its id.");
    static final Setting<String> NODE = object("node", "The node: its name, or its id.");
    static final Setting<String> TASK = object("task", "The task: its name, such as web.1, or its id.");
    static final Setting<List<String>> LABEL = pairs("label", 64, "A label, as KEY=VALUE.");

    private static Setting<String> object(String name, String doc) {
        return Setting.text(name, "a name or an id", NAMES, "none").doc(doc);
    }

    /** A setting that {@link #pairs(List)} reads. */
    static Setting<List<String>> pairs(String name, int most, String doc) {
        return Setting.texts(name, "KEY=VALUE", "[^\\p{Cntrl}=]{1,128}(=[^\\p{Cntrl}]{0,256})?", most, List.of())
                .doc(doc);
    }

    /** {@code KEY=VALUE} as a map. */
    static Map<String, String> pairs(List<String> texts) {
        Map<String, String> pairs = new HashMap<>();
        for (String text : texts) {
            int at = text.indexOf('=');
            pairs.put(at < 0 ? text : text.substring(0, at), at < 0 ? "" : text.substring(at + 1));
        }
        return pairs;
    }

    /** A command that completes the names of objects. */
    Command command(CommandSpec spec, Function<Call, Answer> run) {
        return Command.of(
                spec,
                run,
                (parameter, typed) -> offers(parameter).stream().sorted().toList());
    }

    private List<String> offers(Setting<?> parameter) {
        return read(tx -> switch (parameter.name()) {
            case "network", "network_add", "network_rm", "networks" ->
                List.copyOf(networkNames(tx).values());
            case "service" ->
                all(Tables.SERVICES, tx).stream()
                        .map(each -> each.spec().name())
                        .toList();
            case "services" -> scales(tx);
            case "node" -> all(Tables.NODES, tx).stream().map(Node::name).toList();
            case "task" -> all(Tables.TASKS, tx).stream().map(Task::name).toList();
            default -> List.of();
        });
    }

    /** Each service with the replicas that it has, for the operator to change their number. */
    private static List<String> scales(Transaction tx) {
        Map<String, Replicas.Count> counts = Replicas.counts(all(Tables.TASKS, tx));
        return all(Tables.SERVICES, tx).stream()
                .map(each -> each.spec().name() + "="
                        + counts.getOrDefault(each.id(), new Replicas.Count(0, 0))
                                .wanted())
                .toList();
    }
}

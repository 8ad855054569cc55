package io.enipam.examples.swarm.operate;

import io.enipam.examples.swarm.events.EventLog;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.state.Ballot;
import io.enipam.examples.swarm.state.Keys;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Check;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Command;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Finding.Severity;
import io.enipam.sdk.Host;
import io.enipam.sdk.Meter;
import io.enipam.sdk.RpcService;
import io.enipam.sdk.Signals;
import io.enipam.sdk.Tally;
import io.enipam.sdk.Vote;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What an operator has of the swarm: commands, checks and metrics. Thread-safe. */
public final class Operator implements AutoCloseable {
    private static final Meter WAITING =
            Meter.of("waiting_objects", "Objects that have not been allocated what they need.", "kind");
    private static final Meter TASKS = Meter.of("tasks", "Tasks that have not ended.", "state");
    private static final Map<String, String> KINDS = Map.of(
            "network",
            "swarm network ls",
            "node",
            "swarm node ls",
            "service",
            "swarm service ls",
            "task",
            "swarm task ls");

    private final Swarm swarm;
    private final EventLog log;
    private final String ingressSubnet;
    private final List<Command> commands;

    /**
     * @param waiting why objects wait, by {@code KIND/ROW}
     * @param leads whether this replica knows that
     * @param ingressSubnet of an ingress network that names none; empty for any
     */
    public Operator(Host host, Supplier<Map<String, String>> waiting, BooleanSupplier leads, String ingressSubnet) {
        swarm = new Swarm(host, waiting, leads);
        this.ingressSubnet = ingressSubnet;
        log = new EventLog(host.journal(), host.clock());
        commands = Stream.of(
                        new NetworkCommands(swarm, ingressSubnet).all(),
                        new ServiceCommands(swarm).all(),
                        new TaskCommands(swarm).all(),
                        List.of(new EventsCommand(log, host.clock())))
                .<Command>flatMap(List::stream)
                .toList();
        show(host);
    }

    /** Those of the noun. What happens is logged from the first call on: only a host that runs the part asks. */
    public List<Command> commands() {
        log.begin();
        return commands;
    }

    /** For programs. */
    public List<RpcService> services() {
        log.begin();
        return List.of(new SwarmRpc(swarm, log, ingressSubnet).service());
    }

    @Override
    public void close() {
        log.close();
    }

    public List<Check> checks() {
        return List.of(
                Check.of("waiting", "something of the swarm is not allocated", request -> waiting()),
                Check.of("ballot", "tasks wait for voters, or were refused", request -> ballot()));
    }

    private List<Finding> waiting() {
        if (!swarm.leads()) {
            return List.of(
                    new Finding(Severity.INFO, "this replica", "it does not lead: " + Swarm.ASK_LEADER, "status"));
        }
        Map<String, String> names = new HashMap<>();
        swarm.read(tx -> {
            Swarm.networkNames(tx).forEach((id, name) -> names.put(Keys.NETWORK + id, name));
            for (Service service : Swarm.all(Tables.SERVICES, tx)) {
                names.put(Keys.SERVICE + service.id(), service.spec().name());
            }
            tx.scan(Tables.TASKS, "")
                    .forEach(row -> names.put(Keys.TASK + row.key(), row.value().name()));
            tx.scan(Tables.NODES, "")
                    .forEach(row -> names.put(Keys.NODE + row.key(), row.value().name()));
            return true;
        });
        return swarm.waiting().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> {
                    String kind = each.getKey().substring(0, each.getKey().indexOf('/'));
                    return new Finding(
                            Severity.WARN,
                            kind + " " + names.getOrDefault(each.getKey(), each.getKey()),
                            each.getValue(),
                            KINDS.getOrDefault(kind, "swarm task ls"));
                })
                .toList();
    }

    private List<Finding> ballot() {
        Map<ClaimId, Tally> open = swarm.host().ballots().all().stream()
                .filter(tally -> tally.state() == Tally.State.WAITING)
                .collect(Collectors.toMap(Tally::claim, tally -> tally));
        return swarm.read(tx -> tx.scan(Tables.TASKS, "")
                .flatMap(row -> finding(row.value(), Optional.ofNullable(open.get(Ballot.id(row.key())))).stream())
                .toList());
    }

    /** With what voters say that have not decided, and the reasons of those that say nothing. */
    private static String waitsFor(Tally tally) {
        Map<String, String> reasons = new TreeMap<>(tally.missing());
        tally.votes().forEach((voter, vote) -> {
            if (vote instanceof Vote.Later later) {
                reasons.put(voter, later.why());
            }
        });
        return reasons.entrySet().stream()
                .map(each -> "; " + each.getKey() + ": " + each.getValue())
                .collect(Collectors.joining("", "not every voter has voted yes", ""));
    }

    private static Optional<Finding> finding(Task task, Optional<Tally> open) {
        Optional<String> why = task.status().state() == State.REJECTED
                ? Optional.of("a voter has refused it: " + task.status().message())
                : open.map(Operator::waitsFor);
        return why.map(text -> new Finding(Severity.WARN, "task " + task.name(), text, "swarm ballot " + task.name()));
    }

    private void show(Host host) {
        Signals signals;
        try {
            signals = host.signals();
        } catch (FactoryException e) {
            if (e.kind() != ErrorKind.UNAVAILABLE) {
                throw e;
            }
            return; // opened only to be looked at
        }
        for (String kind : KINDS.keySet()) {
            signals.gauge(
                    WAITING,
                    () -> swarm.waiting().keySet().stream()
                            .filter(key -> key.startsWith(kind + "/"))
                            .count(),
                    kind);
        }
        signals.gauge(TASKS, () -> tasks(state -> state == State.NEW), "new");
        signals.gauge(TASKS, () -> tasks(state -> state != State.NEW && !state.terminal()), "allocated");
    }

    private double tasks(Predicate<State> of) {
        return swarm.read(tx -> tx.scan(Tables.TASKS, "")
                .filter(row -> of.test(row.value().status().state()))
                .count());
    }
}

package io.enipam.examples.swarm.operate;

import static io.enipam.examples.swarm.operate.Swarm.NODE;
import static io.enipam.examples.swarm.operate.Swarm.NOUN;
import static io.enipam.examples.swarm.operate.Swarm.TASK;

import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.state.Ballot;
import io.enipam.examples.swarm.state.Control;
import io.enipam.examples.swarm.state.Keys;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.Row;
import io.enipam.sdk.Tally;
import io.enipam.sdk.Vote;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@code swarm node add|ls|rm}, {@code swarm task ls|inspect}, {@code swarm ports} and {@code swarm ballot}. */
final class TaskCommands {
    private final Swarm swarm;

    TaskCommands(Swarm swarm) {
        this.swarm = swarm;
    }

    List<Command> all() {
        return List.of(
                swarm.command(
                        CommandSpec.change("Add a node, to which tasks are assigned from then on.", NOUN, "node", "add")
                                .operand(NODE),
                        this::addNode),
                swarm.command(
                        CommandSpec.read("The nodes, and the addresses of their load balancers.", NOUN, "node", "ls"),
                        this::nodes),
                swarm.command(
                        CommandSpec.destroy("Remove a node that has no tasks.", NOUN, "node", "rm")
                                .operand(NODE),
                        this::removeNode),
                swarm.command(
                        CommandSpec.read("The tasks, with their addresses or what they wait for.", NOUN, "task", "ls"),
                        call -> swarm.read(tx -> Answer.table(swarm.tasks(Swarm.all(Tables.TASKS, tx), tx)))),
                swarm.command(
                        CommandSpec.read("A task as docker inspect shows it.", NOUN, "task", "inspect")
                                .operand(TASK),
                        call -> swarm.read(tx -> Answer.text(
                                Inspect.task(Swarm.task(call.arguments().get(TASK), tx))))),
                swarm.command(CommandSpec.read("The published ports, and whose they are.", NOUN, "ports"), this::ports),
                swarm.command(
                        CommandSpec.read("Who has voted on a task, and who has not.", NOUN, "ballot")
                                .operand(TASK),
                        this::ballot));
    }

    private Answer addNode(Call call) {
        String name = call.arguments().get(NODE);
        String id = swarm.id();
        swarm.change(call, tx -> {
            Control.createNode(Node.of(id, name), tx);
            return true;
        });
        return Answer.text(call.dryRun() ? "node " + name + " would be added" : id);
    }

    private Answer nodes(Call call) {
        return swarm.read(tx -> {
            List<List<String>> rows = new ArrayList<>();
            List<Task> tasks = Swarm.all(Tables.TASKS, tx);
            for (Node node : Swarm.all(Tables.NODES, tx)) {
                long assigned = tasks.stream()
                        .filter(task -> task.node().equals(node.id())
                                && !task.status().state().terminal())
                        .count();
                String attached = node.attachments().stream()
                        .map(each -> each.network().spec().name() + "=" + String.join(",", each.addresses()))
                        .collect(Collectors.joining(" "));
                rows.add(List.of(node.id(), node.name(), Long.toString(assigned), attached.isEmpty() ? "-" : attached));
            }
            return Answer.table(new DiagnosticTable(List.of("ID", "NAME", "TASKS", "LOAD BALANCERS"), rows));
        });
    }

    private Answer removeNode(Call call) {
        String name = swarm.change(call, tx -> {
            Node node = Swarm.node(call.arguments().get(NODE), tx).value();
            Control.removeNode(node.id(), tx);
            return node.name();
        });
        return Answer.text(call.dryRun() ? "node " + name + " would be removed" : name);
    }

    private Answer ports(Call call) {
        record Published(Port port, String service) {}
        List<List<String>> rows = swarm.read(tx -> Swarm.all(Tables.SERVICES, tx)).stream()
                .flatMap(service -> service.endpoint().ports().stream()
                        .map(port -> new Published(port, service.spec().name())))
                .sorted(Comparator.comparing((Published each) -> each.port().published())
                        .thenComparing(each -> each.port().protocol()))
                .map(each -> List.of(
                        Integer.toString(each.port().published()),
                        Inspect.word(each.port().protocol()),
                        Inspect.word(each.port().mode()),
                        each.service(),
                        Integer.toString(each.port().target())))
                .toList();
        return Answer.table(new DiagnosticTable(List.of("PORT", "PROTOCOL", "MODE", "SERVICE", "TARGET"), rows));
    }

    /** The allocator's own vote is the cast: it puts a task on the ballot when that has its networks. */
    private Answer ballot(Call call) {
        Row<Task> row = swarm.read(tx -> Swarm.task(call.arguments().get(TASK), tx));
        Optional<Tally> tally = swarm.host().ballots().tally(Ballot.NAME, Ballot.id(row.key()));
        List<List<String>> rows = new ArrayList<>();
        if (tally.isEmpty()) {
            boolean ended = row.value().status().state().terminal();
            rows.add(List.of(
                    Swarm.NOUN,
                    ended ? "WITHDRAWN" : "LATER",
                    ended
                            ? "the task has ended"
                            : swarm.waits(Keys.TASK + row.key(), true, "it is not allocated yet")));
        } else {
            rows.add(List.of(Swarm.NOUN, "YES", "it has its networks"));
            tally.get().votes().forEach((voter, vote) -> rows.add(List.of(voter, word(vote), why(vote))));
            tally.get().missing().forEach((voter, why) -> {
                if (!tally.get().votes().containsKey(voter)) {
                    rows.add(List.of(voter, "MISSING", why));
                }
            });
        }
        return Answer.table(new DiagnosticTable(List.of("VOTER", "VOTE", "WHY"), rows));
    }

    private static String word(Vote vote) {
        return vote instanceof Vote.Yes ? "YES" : vote instanceof Vote.No ? "NO" : "LATER";
    }

    private static String why(Vote vote) {
        if (vote instanceof Vote.No no) {
            return no.why();
        }
        return vote instanceof Vote.Later later ? later.why() : "-";
    }
}

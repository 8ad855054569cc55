package io.enipam.examples.swarm.operate;

import static io.enipam.examples.swarm.operate.Swarm.NOUN;
import static io.enipam.examples.swarm.operate.Swarm.SERVICE;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Port;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.operate.Replicas.Count;
import io.enipam.examples.swarm.operate.Replicas.Plan;
import io.enipam.examples.swarm.state.Control;
import io.enipam.examples.swarm.state.Keys;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Command;
import io.enipam.sdk.CommandSpec;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.Row;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Transaction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** {@code swarm service create|update|scale|inspect|ls|ps|rm}. */
final class ServiceCommands {
    private static final int MOST_TASKS = 100_000;
    private static final int MOST = 64;
    private static final String PORT = "[a-z0-9:/=,]{1,64}";
    private static final String KEPT = "keep";

    private static final Setting<String> NAME =
            Setting.text("name", "a name", Swarm.NAMES, "none").doc("Its name, required.");
    private static final Setting<List<String>> NETWORKS =
            networks("network", "A network to which its tasks are attached.");
    private static final Setting<List<String>> ADD_NETWORK = networks("network_add", "Another network.");
    private static final Setting<List<String>> REMOVE_NETWORK = networks("network_rm", "A network to leave.");
    private static final Setting<List<String>> PUBLISH =
            ports("publish", "A port: 8080:80/tcp, or published=8080,target=80,mode=host; 80 has a number chosen.");
    private static final Setting<List<String>> ADD_PORT = ports("publish_add", "Another port.");
    private static final Setting<List<String>> REMOVE_PORT = ports("publish_rm", "The target port of one to remove.");
    private static final Setting<String> MODE = Setting.choice("endpoint_mode", List.of("vip", "dnsrr"), "vip")
            .doc("How its name resolves: to a virtual IP, or to its tasks.");
    private static final Setting<String> NEW_MODE =
            Setting.choice("endpoint_mode", List.of(KEPT, "vip", "dnsrr"), KEPT).doc("How its name resolves.");
    private static final Setting<Integer> REPLICAS = Setting.wholeNumber("replicas", 0, MOST_TASKS, 1)
            .doc("How many tasks it has; no agent runs them, so they stay PENDING.");
    private static final Setting<Integer> VERSION = Setting.wholeNumber("version", 0, Integer.MAX_VALUE, 0)
            .doc("Only if it is still this version, as inspect shows it; 0 for any.");
    private static final Setting<List<String>> SCALE = Setting.texts(
                    "services", "SERVICE=REPLICAS", "[A-Za-z0-9][A-Za-z0-9_.-]{0,127}=[0-9]{1,6}", MOST, List.of())
            .doc("A service and how many tasks it is to have.");

    private final Swarm swarm;
    private final Replicas replicas;

    ServiceCommands(Swarm swarm) {
        this.swarm = swarm;
        this.replicas = new Replicas(swarm);
    }

    private static Setting<List<String>> networks(String name, String doc) {
        return Setting.texts(name, "a network", Swarm.NAMES, MOST, List.of()).doc(doc);
    }

    private static Setting<List<String>> ports(String name, String doc) {
        return Setting.texts(name, "a port", PORT, MOST, List.of()).doc(doc);
    }

    List<Command> all() {
        return List.of(
                swarm.command(
                        CommandSpec.change(
                                        "Create a service and its tasks; no agent runs them.",
                                        NOUN,
                                        "service",
                                        "create")
                                .option(NAME)
                                .option(NETWORKS)
                                .option(PUBLISH)
                                .option(MODE)
                                .option(REPLICAS)
                                .option(Swarm.LABEL),
                        this::create),
                swarm.command(
                        CommandSpec.change(
                                        "Change the ports, networks or mode of a service.", NOUN, "service", "update")
                                .operand(SERVICE)
                                .option(ADD_PORT)
                                .option(REMOVE_PORT)
                                .option(ADD_NETWORK)
                                .option(REMOVE_NETWORK)
                                .option(NEW_MODE)
                                .option(VERSION),
                        this::update),
                swarm.command(
                        CommandSpec.change(
                                        "Make or remove tasks of services: web=5. No agent runs them, so they stay PENDING.",
                                        NOUN,
                                        "service",
                                        "scale")
                                .operand(SCALE),
                        this::scale),
                swarm.command(
                        CommandSpec.read("A service as docker inspect shows it.", NOUN, "service", "inspect")
                                .operand(SERVICE),
                        this::inspect),
                swarm.command(
                        CommandSpec.read("The services, with what they have or wait for.", NOUN, "service", "ls"),
                        this::ls),
                swarm.command(
                        CommandSpec.read("The tasks of a service.", NOUN, "service", "ps")
                                .operand(SERVICE),
                        this::ps),
                swarm.command(
                        CommandSpec.destroy("Remove a service with its tasks.", NOUN, "service", "rm")
                                .operand(SERVICE),
                        this::rm));
    }

    private Answer create(Call call) {
        Settings typed = call.arguments();
        String name = typed.get(NAME);
        if (name.equals(NAME.usual())) {
            throw Refused.invalid("a service needs a name: swarm service create --name web");
        }
        String id = swarm.id();
        Service made = swarm.change(
                call,
                tx -> Control.createService(
                        id,
                        new Service.Spec(
                                name,
                                Swarm.pairs(typed.get(Swarm.LABEL)),
                                attached(typed.get(NETWORKS), tx),
                                List.of(),
                                new Endpoint.Spec(mode(typed.get(MODE)), PublishedPorts.read(typed.get(PUBLISH)))),
                        tx));
        if (call.dryRun()) {
            return Answer.text("service " + name + " would be created, with " + typed.get(REPLICAS) + " tasks");
        }
        replicas.scale(call, made, typed.get(REPLICAS));
        return Answer.text(id);
    }

    private static List<AttachmentSpec> attached(List<String> networks, Transaction tx) {
        return networks.stream()
                .map(each -> AttachmentSpec.to(Swarm.network(each, tx).value().id()))
                .toList();
    }

    private static Endpoint.Mode mode(String typed) {
        return Endpoint.Mode.valueOf(typed.toUpperCase(Locale.ROOT));
    }

    private Answer update(Call call) {
        Settings typed = call.arguments();
        Service before = swarm.read(tx -> Swarm.service(typed.get(SERVICE), tx)).value();
        Service after = swarm.change(call, tx -> {
            Row<Service> row = Control.service(before.id(), tx);
            long version = typed.get(VERSION) == 0 ? row.revision() : typed.get(VERSION);
            return Control.updateService(
                    before.id(), version, changed(row.value().spec(), typed, tx), tx);
        });
        String name = before.spec().name();
        if (call.dryRun()) {
            return Answer.text("service " + name + " would be updated");
        }
        if (!after.spec().equals(before.spec())) {
            replicas.replace(call, after);
        }
        return Answer.text(name);
    }

    private static Service.Spec changed(Service.Spec was, Settings typed, Transaction tx) {
        Endpoint.Mode mode = typed.get(NEW_MODE).equals(KEPT) ? was.endpoint().mode() : mode(typed.get(NEW_MODE));
        return new Service.Spec(
                was.name(),
                was.labels(),
                networks(was, typed, tx),
                List.of(),
                new Endpoint.Spec(mode, ports(was.endpoint().ports(), typed)));
    }

    private static List<AttachmentSpec> networks(Service.Spec was, Settings typed, Transaction tx) {
        List<AttachmentSpec> left = attached(typed.get(REMOVE_NETWORK), tx);
        List<AttachmentSpec> networks = new ArrayList<>(was.attached());
        networks.removeIf(each -> isTo(each.target(), left));
        for (String more : typed.get(ADD_NETWORK)) {
            String target = Swarm.network(more, tx).value().id();
            if (isTo(target, networks)) {
                throw Refused.invalid("service is already attached to network " + more);
            }
            networks.add(AttachmentSpec.to(target));
        }
        return networks;
    }

    private static boolean isTo(String network, List<AttachmentSpec> attached) {
        return attached.stream().anyMatch(each -> each.target().equals(network));
    }

    /** As {@code docker service update} has them: one that is there already is not added, and all are different and sorted. */
    private static List<Port> ports(List<Port> was, Settings typed) {
        List<Port> less = PublishedPorts.read(typed.get(REMOVE_PORT));
        List<Port> more = PublishedPorts.read(typed.get(ADD_PORT));
        if (less.isEmpty() && more.isEmpty()) {
            return was;
        }
        Stream<Port> kept = was.stream()
                .distinct()
                .filter(port -> less.stream()
                        .noneMatch(gone -> gone.target() == port.target()
                                && gone.protocol() == port.protocol()
                                && gone.mode() == port.mode()));
        Stream<Port> added = more.stream().filter(port -> !was.contains(port));
        return Stream.concat(kept, added)
                .sorted(Comparator.comparing(port -> port.published() + ":" + port.target() + "/"
                        + Inspect.word(port.protocol()) + "/" + Inspect.word(port.mode())))
                .toList();
    }

    private Answer scale(Call call) {
        List<String> done = new ArrayList<>();
        for (Map.Entry<String, String> each :
                Swarm.pairs(call.arguments().get(SCALE)).entrySet()) {
            Service service = swarm.read(tx -> Swarm.service(each.getKey(), tx)).value();
            Plan plan = replicas.scale(call, service, Math.min(MOST_TASKS, Integer.parseInt(each.getValue())));
            done.add(service.spec().name() + ": " + plan);
        }
        return Answer.text(String.join("\n", done));
    }

    private Answer inspect(Call call) {
        return swarm.read(tx -> {
            Row<Service> row = Swarm.service(call.arguments().get(SERVICE), tx);
            int tasks = (int) Control.tasks(row.value().id(), tx)
                    .filter(task -> !task.value().status().state().terminal())
                    .count();
            return Answer.text(Inspect.service(row, tasks));
        });
    }

    private Answer ls(Call call) {
        List<List<String>> rows = new ArrayList<>();
        Map<String, Count> counts = swarm.read(tx -> Replicas.counts(Swarm.all(Tables.TASKS, tx)));
        for (Service service : swarm.read(tx -> Swarm.all(Tables.SERVICES, tx))) {
            Endpoint endpoint = service.endpoint();
            rows.add(List.of(
                    service.id(),
                    service.spec().name(),
                    counts.getOrDefault(service.id(), new Count(0, 0)).toString(),
                    Swarm.joined(endpoint.virtualIps().stream().map(Endpoint.VirtualIp::address)),
                    Swarm.joined(endpoint.ports().stream().map(PublishedPorts::text)),
                    service.pendingDelete()
                            ? "its last task"
                            : swarm.waits(Keys.SERVICE + service.id(), lacks(service), "-")));
        }
        return Answer.table(
                new DiagnosticTable(List.of("ID", "NAME", "REPLICAS", "VIRTUAL IPS", "PORTS", "WAITS FOR"), rows));
    }

    /** Whether what it has is not what it wants, as far as its row says that. */
    private static boolean lacks(Service service) {
        Endpoint.Spec wanted = service.spec().endpoint();
        return wanted.present() && !wanted.equals(service.endpoint().spec());
    }

    private Answer ps(Call call) {
        return swarm.read(tx -> {
            Service service = Swarm.service(call.arguments().get(SERVICE), tx).value();
            return Answer.table(
                    swarm.tasks(Control.tasks(service.id(), tx).map(Row::value).toList(), tx));
        });
    }

    private Answer rm(Call call) {
        Service service = swarm.change(call, tx -> {
            Service found = Swarm.service(call.arguments().get(SERVICE), tx).value();
            Control.removeService(found.id(), tx);
            return found;
        });
        Plan plan = replicas.scale(call, service, 0);
        return Answer.text(
                call.dryRun()
                        ? "service " + service.spec().name() + " would be removed: " + plan
                        : service.spec().name());
    }
}

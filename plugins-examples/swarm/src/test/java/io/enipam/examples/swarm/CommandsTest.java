package io.enipam.examples.swarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.events.EventLog;
import io.enipam.examples.swarm.events.SwarmEvent;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.Check;
import io.enipam.sdk.CheckRequest;
import io.enipam.sdk.Command;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Feed;
import io.enipam.sdk.Finding;
import io.enipam.sdk.Line;
import io.enipam.sdk.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator types under the noun {@code swarm}, and what is answered. */
class CommandsTest {
    private final World world = new World();

    @BeforeEach
    void start() {
        world.start();
        run("network create ingress --ingress");
    }

    @AfterEach
    void end() {
        world.close();
    }

    /** Runs a command as it is typed, and lets the allocator do what follows. */
    private Answer run(String typed) {
        return run(typed, false);
    }

    private Answer run(String typed, boolean dry) {
        List<String> words = new ArrayList<>(List.of("swarm"));
        words.addAll(Arrays.asList(typed.split(" ")));
        Command command = command(words);
        List<String> rest = words.subList(command.spec().path().size(), words.size());
        Map<String, List<String>> values = new HashMap<>();
        int operand = 0;
        for (int i = 0; i < rest.size(); i++) {
            if (!rest.get(i).startsWith("--")) {
                String name = command.spec().operands().get(operand++).name();
                values.put(name, List.of(rest.get(i)));
                continue;
            }
            String name = rest.get(i).substring(2).replace('-', '_');
            Setting<?> option = command.spec().options().stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow();
            boolean flag = Boolean.FALSE.equals(option.usual());
            values.merge(
                    name,
                    flag ? List.of("true") : List.of(rest.get(++i).split(",")),
                    (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
        }
        Answer answer = command.run(Call.of(command.spec(), values, dry));
        world.replica.drain();
        return answer;
    }

    private Command command(List<String> words) {
        return world.replica.part().commands().stream()
                .filter(each -> words.subList(
                                0, Math.min(words.size(), each.spec().path().size()))
                        .equals(each.spec().path()))
                .findFirst()
                .orElseThrow();
    }

    /** What may be typed for the one operand of a command. */
    private List<String> offers(String typed) {
        Command command = command(List.of(("swarm " + typed).split(" ")));
        return command.complete(command.spec().operands().get(0), "");
    }

    private static List<List<String>> rows(Answer answer) {
        return ((Answer.Rows) answer).table().rows();
    }

    private static JsonNode json(Answer answer) {
        try {
            return new ObjectMapper().readTree(((Answer.Prose) answer).text()).get(0);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aFirstLookAtASwarm() {
        run("node add node-1");
        run("node add node-2");
        run("network create front --subnet 10.9.0.0/24");
        run("service create --name web --network front --publish 8080:80 --replicas 2");
        run("service scale web=5");
        assertThat(rows(run("service ls"))).singleElement().satisfies(row -> {
            assertThat(row.subList(1, 3)).containsExactly("web", "5/5");
            assertThat(row.subList(3, 6)).containsExactly("10.255.0.4/16 10.9.0.2/24", "*:8080->80/tcp", "-");
        });
        assertThat(rows(run("service ps web")))
                .hasSize(5)
                .allMatch(row -> row.get(3).equals("PENDING"))
                .extracting(row -> row.get(1) + " " + row.get(2))
                .containsExactly("web.1 node-1", "web.2 node-2", "web.3 node-1", "web.4 node-2", "web.5 node-1");
        assertThat(rows(run("ports"))).containsExactly(List.of("8080", "tcp", "ingress", "web", "80"));
        assertThat(rows(run("ballot web.3"))).containsExactly(List.of("swarm", "YES", "it has its networks"));
        assertThat(rows(run("node ls"))).hasSize(2).allMatch(row -> row.get(3).contains("front="));
        assertThat(offers("service scale")).containsExactly("web=5");
        assertThat(offers("service ps")).containsExactly("web");
        assertThat(offers("ballot")).hasSize(5).contains("web.1");
        run("service scale web=1");
        assertThat(world.tasks())
                .singleElement()
                .satisfies(task -> assertThat(task.name()).isEqualTo("web.1"));
        run("service rm web");
        assertThat(world.services()).isEmpty();
        assertThat(world.tasks()).isEmpty();
        run("network rm front");
        assertThat(rows(run("network ls"))).hasSize(1);
    }

    @Test
    void infoShowsTheDefaultPoolsAndTheUdpPortOfVxlans() {
        assertThat(((Answer.Prose) run("info")).text())
                .isEqualTo("Default Address Pool: 10.0.0.0/8\nSubnetSize: 24\nData Path Port: 4789");
    }

    @Test
    void inspectHasTheShapeOfDockers() {
        run("network create front --subnet 10.9.0.0/24 --gateway 10.9.0.254 --label team=a");
        assertThatThrownBy(() -> run("service create --name bad --publish 8080:http"))
                .hasMessageStartingWith("'8080:http' is no port: use ");
        assertThatThrownBy(() -> run("service create --name bad --publish published=8080,target=80,mode=hots"))
                .hasMessageStartingWith("'published=8080,target=80,mode=hots' is no port: use ");
        run("service create --name web --network front --publish published=8080,target=80,protocol=udp,mode=host");
        JsonNode network = json(run("network inspect front"));
        assertThat(network.at("/IPAM/Config/0/Subnet").asText()).isEqualTo("10.9.0.0/24");
        assertThat(network.at("/IPAM/Config/0/Gateway").asText()).isEqualTo("10.9.0.254");
        assertThat(network.at("/Scope").asText()).isEqualTo("swarm");
        assertThat(network.at("/Labels/team").asText()).isEqualTo("a");
        JsonNode service = json(run("service inspect web"));
        assertThat(service.at("/Spec/Mode/Replicated/Replicas").asInt()).isEqualTo(1);
        assertThat(service.at("/Endpoint/VirtualIPs/0/Addr").asText()).isEqualTo("10.9.0.1/24");
        assertThat(service.at("/Endpoint/Ports/0/PublishMode").asText()).isEqualTo("host");
        assertThat(service.at("/Endpoint/Ports/0/Protocol").asText()).isEqualTo("udp");
        JsonNode task = json(run("task inspect web.1"));
        assertThat(task.at("/Status/State").asText()).isEqualTo("pending");
        assertThat(task.at("/NetworksAttachments/0/Addresses/0").asText()).isEqualTo("10.9.0.2/24");
    }

    @Test
    void eventsAreThoseThatAreKeptAndWithFollowThoseToCome() {
        run("node add before");
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            run("network create seen-" + world.networks().size());
            return events("").contains(" network create ");
        });
        run("service create --name web");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> events(" --filter type=task").contains("state=pending"));
        assertThat(events(" --filter type=service --filter event=create"))
                .matches("2026-01-02T03:04:05Z service create [0-9a-z]{25} \\(name=web\\)");
        assertThat(events(" --filter service=web --format json"))
                .contains("\"Type\":\"service\",\"Action\":\"create\"", "\"scope\":\"swarm\",\"time\":1767323045");
        assertThat(events(" --since 2026-01-02T03:04:06Z")).isEmpty();
        assertThatThrownBy(() -> run("events --filter colour=red")).hasMessage("invalid filter 'colour'");
        assertThatThrownBy(() -> run("events --since yesterday")).hasMessageContaining("is no time");

        Command events = world.replica.part().commands().stream()
                .filter(command -> command.spec().path().equals(List.of("swarm", "events")))
                .findFirst()
                .orElseThrow();
        Call call = Call.of(events.spec(), Map.of("follow", List.of("true"), "filter", List.of("type=service")), false);
        AtomicInteger woken = new AtomicInteger();
        List<Line> read = new ArrayList<>();
        try (Feed<Line> feed = events.follow(call, "", woken::incrementAndGet)) {
            read.addAll(feed.take(100));
            assertThat(read).isNotEmpty().allMatch(line -> line.text().contains(" service "));
            assertThat(feed.take(100)).isEmpty();
            assertThat(feed.ended()).isFalse();
            run("service rm web");
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                read.addAll(feed.take(1));
                return read.get(read.size() - 1).text().contains(" service remove ");
            });
            assertThat(woken.get()).isPositive();
        }
        try (Feed<Line> behind = events.follow(call, read.get(0).place(), () -> {})) {
            assertThat(behind.take(100)).isEqualTo(read.subList(1, read.size()));
        }
        try (Feed<Line> anew = events.follow(call, "00000000-7", () -> {})) {
            assertThat(anew.take(1)).as("a place of another run").containsExactly(read.get(0));
        }
    }

    @Test
    void aReaderThatIsTooSlowIsToldSo() {
        EventLog log = new EventLog(world.replica.journal(), world.clock);
        log.begin();
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            world.put(Node.of("first", "first"));
            world.change(tx -> tx.delete(Tables.NODES, "first"));
            return !log.kept().isEmpty();
        });
        Feed<SwarmEvent> slow = log.follow(event -> true, () -> {});
        slow.take(1);
        String place = log.position();
        for (int i = 0; i < 5_000; i++) {
            world.put(Node.of("node-" + i, "node-" + i));
        }
        await().atMost(Duration.ofSeconds(60))
                .until(() -> log.kept().get(log.kept().size() - 1).id().equals("node-4999"));
        assertThat(log.kept()).hasSize(4_096);
        assertThatThrownBy(() -> slow.take(1)).hasMessageContaining("this reader is too slow");
        assertThatThrownBy(() -> log.follow(place, event -> true, () -> {}))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.code()).isEqualTo(Refused.Code.OUT_OF_RANGE));
        assertThatThrownBy(() -> log.follow("x", event -> true, () -> {}))
                .hasMessageContaining("none that was given out");
        log.close();
    }

    private String events(String options) {
        return ((Answer.Prose) run("events" + options)).text();
    }

    @Test
    void anUpdateOfAnOldVersionIsRefused() {
        run("service create --name web --publish 8080:80");
        int version = json(run("service inspect web")).at("/Version/Index").asInt();
        run("service update web --publish-add 9090:90 --version " + version);
        assertThat(world.published(world.services().get(0).id())).containsExactly(8080, 9090);
        assertThatThrownBy(() -> run("service update web --publish-rm 90 --version " + version))
                .isInstanceOf(FactoryException.class)
                .hasMessage("update out of sequence");
    }

    /** As Docker's command does it, before the manager hears of it. */
    @Test
    void anUpdateAddsAndRemovesNetworksAndPortsAsDockersDoes() {
        run("network create front");
        run("network create back");
        run("service create --name web --network front --publish 90 --publish published=9000,target=90,mode=host");
        String web = world.services().get(0).id();
        assertThatThrownBy(() -> run("service update web --network-add front"))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.code()).isEqualTo(Refused.Code.INVALID_ARGUMENT))
                .hasMessage("service is already attached to network front");
        assertThatThrownBy(() -> run("service update web --network-add back,back"))
                .hasMessage("service is already attached to network back");
        run("service update web --network-add front --network-rm front --publish-add 90");
        assertThat(world.virtualIps(web)).hasSize(2);
        assertThat(world.ports(web)).containsExactly("tcp:30000->90", "tcp:9000->90");
        // both have another number then, in the order of their specification
        run("service update web --publish-add 80");
        assertThat(world.ports(web)).containsExactly("tcp:30001->80", "tcp:30002->90", "tcp:9000->90");
        run("service update web --publish-rm 90");
        assertThat(world.ports(web)).containsExactly("tcp:30003->80", "tcp:9000->90");
    }

    @Test
    void aDryRunChangesNothing() {
        assertThat(((Answer.Prose) run("service create --name web --replicas 3", true)).text())
                .isEqualTo("service web would be created, with 3 tasks");
        run("service create --name web --replicas 3");
        run("service scale web=1", true);
        run("service rm web", true);
        assertThat(world.tasks()).hasSize(3).allMatch(task -> task.status().state() == State.PENDING);
        assertThat(world.services()).noneMatch(service -> service.pendingDelete());
    }

    @Test
    void doctorSaysWhatWaitsAndWhy() {
        world.put(World.service("late", List.of("nowhere")));
        world.replica.drain();
        CheckRequest now = () -> Instant.EPOCH;
        List<Finding> findings = world.replica.part().checks().stream()
                .filter(check -> check.id().equals("waiting"))
                .map((Check check) -> check.run(now))
                .findFirst()
                .orElseThrow();
        assertThat(findings).singleElement().satisfies(finding -> {
            assertThat(finding.subject()).isEqualTo("service late");
            assertThat(finding.why()).isEqualTo("networkallocator: could not find local network state");
            assertThat(finding.fix()).isEqualTo("swarm service ls");
        });
        assertThat(world.replica.context().signals().value("waiting_objects", "service"))
                .isEqualTo(1);
    }
}

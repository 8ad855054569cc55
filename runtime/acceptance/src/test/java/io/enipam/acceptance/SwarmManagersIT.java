package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.etcd.testing.EtcdServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Three managers of one swarm, each a process, with their tables in one etcd: whichever leads, each one serves commands. */
class SwarmManagersIT {
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    /** As many tasks as take longer to be allocated than it takes to kill who allocates them. */
    private static final int MANY = 400;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path scratch;

    private final List<Manager> managers = new ArrayList<>();
    private EtcdServer etcd;

    private record Manager(String name, DaemonWithShell daemon) {
        boolean leads() {
            return daemon.ok("status").contains("cluster leads");
        }

        String ok(String command) {
            return daemon.ok("swarm " + command);
        }

        private List<String> rows(String command, String columns) {
            return ok(command + " -o json | jq -r '.rows[].cells | [" + columns + "] | @tsv'")
                    .lines()
                    .toList();
        }

        /** The tasks of a service that are allocated: their addresses by name and id. */
        Map<String, String> tasks(String service) {
            Map<String, String> tasks = new TreeMap<>();
            rows("service ps " + service, ".[1], .[0], .[3], .[4]").stream()
                    .map(row -> row.split("\t"))
                    .filter(cells -> cells[2].equals("PENDING"))
                    .forEach(cells -> tasks.put(cells[0] + " " + cells[1], cells[3]));
            return tasks;
        }

        /** Networks, and services, ports and nodes with all that they have. */
        List<String> others() {
            Stream<String> networks = rows("network ls", ".[1]").stream().map("swarm network inspect "::concat);
            Stream<String> services = rows("service ls", ".[1]").stream().map("swarm service inspect "::concat);
            return Stream.of(networks, Stream.concat(services, Stream.of("swarm ports", "swarm node ls")))
                    .map(commands -> daemon.ok(commands.collect(Collectors.joining("; "))))
                    .toList();
        }
    }

    @BeforeEach
    void start() throws IOException {
        assumeTrue(EtcdServer.program().isPresent(), "there is no etcd here (Debian: etcd-server)");
        etcd = EtcdServer.started(scratch);
        ProgramRunner programs = new ProgramRunner(scratch);
        for (String name : List.of("one", "two", "three")) {
            Path root = Files.createDirectories(scratch.resolve(name + "/root"));
            managers.add(new Manager(name, new DaemonWithShell(programs, root)));
        }
        for (Manager manager : managers) {
            start(manager);
        }
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Manager manager : managers) {
            manager.daemon().close();
        }
        if (etcd != null) {
            etcd.close();
        }
    }

    private void start(Manager manager) throws IOException {
        Path config = Files.writeString(
                scratch.resolve(manager.name() + ".yaml"), """
                extensions: [swarm, swarm-licences]
                plugins: {swarm: {licences: 10000}}
                node: {name: %s}
                cluster: {etcd: {endpoints: ['%s']}}
                metrics: {listen: ""}
                """.formatted(manager.name(), etcd.endpoint()));
        manager.daemon().startSwarm(config);
    }

    private Manager leader(List<Manager> among) {
        await("one of them leads").atMost(PATIENCE).until(() -> among.stream().anyMatch(Manager::leads));
        return among.stream().filter(Manager::leads).findFirst().orElseThrow();
    }

    private static List<Manager> without(Manager one, List<Manager> all) {
        return all.stream().filter(each -> each != one).toList();
    }

    private static Map<String, String> allAllocated(Manager asked, String service, int tasks) {
        await("all tasks are allocated")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> asked.tasks(service).size() == tasks);
        return asked.tasks(service);
    }

    /** Through a manager that does not lead; returns what its tasks got. */
    private static Map<String, String> firstObjects(Manager follower) {
        follower.ok("network create ingress --ingress");
        follower.ok("network create front --subnet 10.80.0.0/16");
        follower.ok("node add node-1");
        follower.ok("service create --name web --network front --publish 8080:80 --replicas 20");
        return allAllocated(follower, "web", 20);
    }

    /** What each of these managers says, which all have to say. */
    private static List<String> theSameOnAll(List<Manager> managers) {
        List<String> said = managers.get(0).others();
        assertThat(managers.subList(1, managers.size()))
                .allSatisfy(each -> assertThat(each.others()).isEqualTo(said));
        return said;
    }

    private static void nothingTwice(Manager asked) {
        List<String> addresses = new ArrayList<>(asked.rows("service ls", ".[3]"));
        addresses.addAll(asked.rows("node ls", ".[3]"));
        asked.rows("service ls", ".[1]")
                .forEach(service -> addresses.addAll(asked.tasks(service).values()));
        assertThat(addresses.stream()
                        .flatMap(
                                text -> Stream.of(text.replaceAll("[a-z]+=", "").split(" "))))
                .allMatch(address -> address.matches("10\\.[0-9.]+/16"))
                .doesNotHaveDuplicates();
    }

    private void restartAll() throws Exception {
        for (Manager manager : managers) {
            manager.daemon().kill();
        }
        for (Manager manager : managers) {
            start(manager);
        }
        leader(managers);
    }

    @Test
    void theNextOneGoesOnWhereTheLeaderWasKilledAndNothingMoves() throws Exception {
        Manager leader = leader(managers);
        List<Manager> others = without(leader, managers);
        Map<String, String> web = firstObjects(others.get(0));
        List<String> before = theSameOnAll(managers);

        others.get(1).ok("service create --name late --network front --replicas " + MANY);
        leader.daemon().kill();
        Map<String, String> late = allAllocated(others.get(0), "late", MANY);
        assertThat(leader(others).tasks("web")).isEqualTo(web);
        assertThat(theSameOnAll(others).get(0)).isEqualTo(before.get(0));
        nothingTwice(others.get(0));

        start(leader);
        assertThat(leader.leads()).isFalse();
        List<String> after = theSameOnAll(managers);
        others.get(0).ok("service scale late=" + MANY / 2);
        leader.ok("service scale late=" + MANY);
        Map<String, String> again = allAllocated(leader, "late", MANY);
        assertThat(again.entrySet()).filteredOn(late.entrySet()::contains).hasSize(MANY / 2);
        nothingTwice(leader);

        restartAll();
        assertThat(leader.tasks("web")).isEqualTo(web);
        assertThat(leader.tasks("late")).isEqualTo(again);
        assertThat(theSameOnAll(managers)).isEqualTo(after);
        leader.ok("service rm web --yes; swarm service rm late --yes");
        await("all is gone")
                .atMost(PATIENCE)
                .until(() -> leader.rows("service ls", ".[1]").isEmpty());
        leader.ok("network rm front --yes");
        leader.ok("network create front --subnet 10.80.0.0/16");
        leader.ok("service create --name web --network front --replicas 3");
        allAllocated(leader, "web", 3);
        nothingTwice(leader);
    }

    @Test
    void theNextOneGoesOnWhereTheLeaderWasStoppedAndThatOneFollowsWhenItWakesUp() throws Exception {
        Manager leader = leader(managers);
        List<Manager> others = without(leader, managers);
        Map<String, String> web = firstObjects(others.get(0));

        others.get(1).ok("service create --name late --network front --replicas " + MANY);
        signal("-STOP", leader);
        Map<String, String> late = allAllocated(others.get(0), "late", MANY);
        Manager next = leader(others);
        others.get(0).ok("service scale late=" + 2 * MANY);
        signal("-CONT", leader);
        assertThat(leader.leads()).isFalse();
        Map<String, String> more = allAllocated(leader, "late", 2 * MANY);
        assertThat(more).containsAllEntriesOf(late);
        assertThat(leader.tasks("web")).isEqualTo(web);
        assertThat(next.leads()).isTrue();
        theSameOnAll(managers);
        nothingTwice(leader);
    }

    private static void signal(String name, Manager manager) throws Exception {
        long pid = manager.daemon().process().pid();
        assertThat(new ProcessBuilder("kill", name, Long.toString(pid)).start().waitFor())
                .isZero();
    }

    @Test
    void aFollowerServesCommandsAndSaysThatTheLeaderKnowsWhatWaits() {
        Manager leader = leader(managers);
        Manager follower = without(leader, managers).get(0);
        follower.ok("network create small --subnet 10.81.0.0/29");
        // of two that the leader sees at once either may come first
        await("the first one has its subnet")
                .atMost(PATIENCE)
                .until(() -> leader.rows("network ls", ".[1], .[4]").stream()
                        .anyMatch(row -> row.startsWith("small\t") && !row.endsWith("\t-")));
        follower.ok("network create same --subnet 10.81.0.0/24");
        follower.ok("service create --name web --network small --replicas 9");
        allAllocated(follower, "web", 4);
        await("the leader has tried the others")
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(leader.ok("task ls -o json")).contains("could not find an available IP"));
        assertThat(leader.ok("network ls -o json")).contains("overlaps");
        String ask = "ask it; status names it";
        assertThat(follower.ok("network ls -o json")).contains(ask);
        assertThat(follower.ok("task ls -o json")).contains(ask);
        String waits = follower.rows("service ps web", ".[1], .[3]").stream()
                .map(row -> row.split("\t"))
                .filter(cells -> !cells[1].equals("PENDING"))
                .map(cells -> cells[0])
                .findFirst()
                .orElseThrow();
        assertThat(follower.ok("ballot " + waits + " -o json")).contains(ask);
        assertThat(follower.daemon().ok("status")).contains("cluster follows, " + leader.name() + " led last");
        assertThat(follower.daemon().attached("doctor swarm/waiting -o json").out())
                .contains(ask);
        assertThat(follower.daemon().attached("doctor swarm/ballot -o json").out())
                .doesNotContain("task " + waits);
        assertThat(leader.daemon().attached("doctor swarm/waiting -o json").out())
                .contains("task web.", "network same");

        follower.ok("network rm same --yes");
        follower.ok("service scale web=3");
        await("the address that was given back is given again")
                .atMost(PATIENCE)
                .until(() -> leader.tasks("web").size() == 3);
        // which three of the nine stay depends on their slots, and not on who had an address
        assertThat(leader.tasks("web").values())
                .doesNotHaveDuplicates()
                .allMatch(address -> address.startsWith("10.81.0."));
    }
}

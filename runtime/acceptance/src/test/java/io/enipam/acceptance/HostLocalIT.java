package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.acceptance.CniProgram.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Debian's {@code bridge}, unchanged, with {@code enipam-ipam} for its IPAM, in real network namespaces. */
class HostLocalIT extends DaemonFixture {
    private static final String NETWORK =
            "{\"cniVersion\":\"1.0.0\",\"name\":\"lan\",\"type\":\"bridge\",\"bridge\":\"br0\",\"isGateway\":true,"
                    + "\"ipam\":{\"type\":\"enipam-ipam\",\"subnet\":\"10.88.2.0/24\"}}";
    private static final int CONTAINERS = 100;
    private static final int PINGED = 10;

    private final List<Netns> made = new ArrayList<>();
    private Path networks;
    private Netns node;

    @BeforeEach
    void prepare() throws IOException {
        Netns.require();
        assumeTrue(
                Files.isExecutable(CniProgram.BRIDGE), "Debian's package containernetworking-plugins has the bridge");
        networks = scratch.resolve("networks");
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"),
                "extensions: [host-local]\nplugins: {host-local: {data_dir: " + networks + "}}\n");
        Project.copy(
                Project.root().resolve("plugins-examples/host-local/target/plugin"),
                Files.createDirectories(root.resolve("lib/plugins")).resolve("host-local"));
        node = namespace("node");
    }

    private Netns namespace(String name) {
        Netns one = Netns.make("hl" + ProcessHandle.current().pid() + "-" + name);
        made.add(one);
        return one;
    }

    @AfterEach
    void remove() {
        made.forEach(Netns::remove);
    }

    /** Runs a plugin in the node's namespace. */
    private Answer call(Path plugin, String command, String container, Path netns) {
        CniProgram program = new CniProgram(node.inside(plugin.toString()), daemon.cniSocket());
        return program.call(CniProgram.variables(command, container, netns.toString(), ""), NETWORK);
    }

    private Answer bridge(String command, String container, Netns netns) {
        return call(CniProgram.BRIDGE, command, container, netns.path());
    }

    private void serve() throws InterruptedException {
        daemon.start();
        Path front = CniProgram.FRONTS.resolve("enipam-ipam");
        Awaitility.await("the extension answers")
                .atMost(Duration.ofSeconds(60))
                .until(() -> call(front, "DEL", "none", Path.of("/none")).isDone());
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(networks.resolve("lan"))) {
            return all.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aHundredContainersAreConnectedOutliveTheDaemonAndLeaveNothing() throws Exception {
        serve();
        List<Netns> containers = new ArrayList<>();
        List<String> addresses = new ArrayList<>();
        for (int i = 0; i < CONTAINERS; i++) {
            Netns container = namespace("c" + i);
            containers.add(container);
            Answer added = bridge("ADD", "c" + i, container);
            assertThat(added.status()).as(added.out()).isZero();
            addresses.add(added.address().replace("/24", ""));
        }
        assertThat(addresses).doesNotHaveDuplicates();
        for (int i = 0; i < PINGED; i++) {
            containers.get(i).run("ping", "-c", "1", "-W", "5", addresses.get(CONTAINERS - 1 - i));
        }
        assertThat(daemon.ok("hostlocal ranges -o json")).contains("\"100\"", "\"153\"");
        assertThat(daemon.ok("hostlocal leases --network lan")).contains("c99");
        assertThat(daemon.attached("hostlocal release " + addresses.get(0) + " --dry-run")
                        .out())
                .contains("would be taken from c0/eth0");
        assertThat(daemon.attached("doctor host-local/duplicate").status()).isZero();

        daemon.kill();
        Netns late = namespace("late");
        assertThat(bridge("ADD", "late", late).out()).contains("\"code\": 11");
        serve();
        // as a runtime does after an ADD that failed, for which bridge had made a link
        assertThat(bridge("DEL", "late", late).status()).isZero();
        assertThat(files()).containsAll(addresses);
        for (int i = 0; i < CONTAINERS; i++) {
            for (int again = 0; again < 2; again++) {
                Answer deleted = bridge("DEL", "c" + i, containers.get(i));
                assertThat(deleted.status()).as(deleted.out()).isZero();
            }
        }
        assertThat(files()).containsExactly("last_reserved_ip.0", "lock");
        assertThat(node.ip("-o link show type veth")).isEmpty();
    }
}

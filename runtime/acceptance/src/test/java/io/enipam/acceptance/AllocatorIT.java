package io.enipam.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.acceptance.CniProgram.Answer;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.GetMetersRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The allocator of the SDK's README, as a container runtime and operators meet it: programs and processes alone. It is used by
 * {@code enipam-cni}, also as the delegate of the reference plugin {@code bridge} where that is installed and network namespaces
 * can be made.
 */
class AllocatorIT extends DaemonFixture {
    private static final Pattern EXAMPLE =
            Pattern.compile("### An allocator\\n.*?```java\\n(.*?)\\n```", Pattern.DOTALL);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String NETWORK = "{\"cniVersion\":\"1.0.0\",\"name\":\"lan\",\"type\":\"enipam-cni\","
            + "\"ipam\":{\"type\":\"enipam-cni\",\"allocator\":\"files\"}";
    private static final String NETNS = "/var/run/netns/none";
    private static final String POD = "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0";

    private Path config;
    private Path jar;
    private Path files;
    private CniProgram plugin;

    @BeforeEach
    void write() throws IOException {
        Matcher example = EXAMPLE.matcher(Files.readString(Project.root().resolve("sdk/README.md"), UTF_8));
        assertThat(example.find()).as("the README's example").isTrue();
        jar = PluginJar.of("files")
                .source("package readme;\n" + example.group(1))
                .service("readme.FilesPlugin")
                .write(scratch);
        config = Files.writeString(
                scratch.resolve("enipam.yaml"),
                "extensions: [files]\nplugins: {files: {addresses: [10.77.0.2/24, 10.77.0.3/24]}}\n");
        files = root.resolve("lib/plugin-data/files");
        plugin = CniProgram.front("enipam-cni", daemon.cniSocket());
    }

    private void serve() {
        daemon.start("--emulate", "--log-level", "warn", "--config", config.toString(), "--plugin", jar.toString());
        await("the extension runs")
                .atMost(PATIENCE)
                .until(() -> daemon.ok("plugin info files").matches("(?s).*files\\s+RUNNING.*"));
    }

    @Test
    void itServesContainersAndOperatorsAndItsEffectsOutliveAKill() throws Exception {
        serve();
        Answer first = call("ADD", "a", POD, "");
        assertThat(first.status()).as(first.out()).isZero();
        assertThat(first.address()).isEqualTo("10.77.0.2/24");
        assertThat(files.resolve("10.77.0.2_24")).hasContent("lan/a/eth0");
        assertThat(call("ADD", "a", POD, "").out()).as("the same claim").isEqualTo(first.out());
        assertThat(call("CHECK", "a", POD, ",\"prevResult\":" + first.out()).status())
                .isZero();
        operatorsSeeIt();
        asADelegateOfBridge();
        tabCompletesItsCommand();
        anEffectIsPerformedAfterAKill();
        theCollectionEndsWhatItsPodLeft();
    }

    private void operatorsSeeIt() {
        assertThat(daemon.ok("plugin grants files")).contains("default/web-0", "10.77.0.2/24", "lan/a/eth0");
        assertThat(daemon.ok("plugin grants -o json | jq -r '.grants[0].claim'"))
                .contains("lan/a/eth0");
        assertThat(daemon.ok("pod list; pod show default/web-0")).contains("10.77.0.2/24");
        assertThat(daemon.ok("explain 10.77.0.2; explain default/web-0; explain lan/a/eth0"))
                .contains("GRANTED", "HAS_ADDRESS")
                .contains("extension files of plugin files granted 10.77.0.2/24 to container a");
        assertThat(daemon.ok("trace 10.77.0.2; trace default/web-0"))
                .contains("ADD default/web-0", "pod looked up", "allocate", "database");
        assertThat(daemon.ok("events --type ClaimGranted")).contains("has 10.77.0.2/24");
        try (DaemonConnection connection = DaemonConnection.open(daemon.socket())) {
            GetMetersReply meters =
                    connection.inspect(PATIENCE, stub -> stub.getMeters(GetMetersRequest.getDefaultInstance()));
            assertThat(meters.getAdd().getDone())
                    .as("the first ADD, and the same again")
                    .isEqualTo(2);
        }
    }

    private void asADelegateOfBridge() {
        if (!Files.isExecutable(CniProgram.BRIDGE)) {
            return;
        }
        String name = "alloc" + ProcessHandle.current().pid();
        if (Netns.say("ip", "netns", "add", name).status() != 0) {
            return; // no namespaces can be made here
        }
        Netns node = new Netns(name);
        Netns pod = Netns.make(name + "-pod");
        try {
            String network = NETWORK.replace("\"type\":\"enipam-cni\",\"ipam\"", "\"type\":\"bridge\",\"ipam\"");
            CniProgram bridge = new CniProgram(node.inside(CniProgram.BRIDGE.toString()), daemon.cniSocket());
            Answer added =
                    bridge.call(CniProgram.variables("ADD", "b", pod.path().toString(), ""), network + "}");
            assertThat(added.status()).as(added.out()).isZero();
            assertThat(added.address()).isEqualTo("10.77.0.3/24");
            assertThat(pod.ip("-o address show dev eth0")).contains("10.77.0.3/24");
            assertThat(daemon.ok("explain lan/b/eth0")).contains("10.77.0.3/24");

            Answer removed =
                    bridge.call(CniProgram.variables("DEL", "b", pod.path().toString(), ""), network + "}");
            assertThat(removed.status()).as(removed.out()).isZero();
            assertThat(files.resolve("10.77.0.3_24")).doesNotExist();
        } finally {
            pod.remove();
            node.remove();
        }
    }

    private void tabCompletesItsCommand() throws Exception {
        try (PseudoTerminal terminal = PseudoTerminal.run(
                programs.environment(),
                ProgramRunner.shell().toString(),
                "--socket",
                daemon.socket().toString())) {
            terminal.await(")> ");
            terminal.type("plugin help files\r");
            terminal.await("Who has which address.");
            terminal.await(")> ");
            // a TAB does not wait for a daemon that is busy
            await("TAB completes both words").atMost(PATIENCE).until(() -> {
                terminal.type("file\ttak\t\r");
                return terminal.await(")> ").contains("lan/a/eth0");
            });
            terminal.type("exit\r");
            assertThat(terminal.exit()).isZero();
        }
    }

    private void anEffectIsPerformedAfterAKill() throws Exception {
        // what is in the place of the file keeps the effect from going through
        Path obstacle = Files.createDirectory(files.resolve("10.77.0.3_24"));
        Process caller = plugin.start(CniProgram.variables("ADD", "c", NETNS, ""), NETWORK + "}");
        await("the grant is on disk")
                .atMost(PATIENCE)
                .until(() -> daemon.ok("plugin grants").contains("EFFECTS"));
        await("the effect has failed")
                .atMost(PATIENCE)
                .until(() -> daemon.ok("explain 10.77.0.3").contains("the last try failed"));
        daemon.kill();
        assertThat(plugin.ended(caller).status()).as("the caller is told").isEqualTo(1);
        Files.delete(obstacle);
        serve();
        await("the effect is performed")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(files.resolve("10.77.0.3_24"))
                        .isRegularFile()
                        .hasContent("lan/c/eth0"));
        assertThat(call("ADD", "c", "", "").address())
                .as("the claim that came again")
                .isEqualTo("10.77.0.3/24");
        Answer late = call("ADD", "d", "", "");
        assertThat(late.json().path("code").asInt()).as(late.out()).isEqualTo(101);
        assertThat(daemon.ok("doctor files/full --fail-on none; trace --failed"))
                .contains("all addresses are taken")
                .contains("POOL_EXHAUSTED");
    }

    private void theCollectionEndsWhatItsPodLeft() {
        assertThat(daemon.ok("gc run"))
                .as("the pod is there after the restart, too")
                .contains("collected 0");
        daemon.ok("pod delete default/web-0 --yes");
        assertThat(daemon.ok("gc run --dry-run")).contains("would collect 1", "default/web-0", "10.77.0.2/24");
        assertThat(daemon.ok("gc run")).contains("collected 1");
        await("its file is deleted")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(files.resolve("10.77.0.2_24")).doesNotExist());
        assertThat(call("DEL", "c", "", "").status()).isZero();
        assertThat(call("DEL", "c", "", "").status()).as("again").isZero();
        assertThat(files).isEmptyDirectory();
        assertThat(daemon.ok("plugin grants")).doesNotContain("lan/");
    }

    private Answer call(String command, String container, String args, String more) {
        return plugin.call(CniProgram.variables(command, container, NETNS, args), NETWORK + more + "}");
    }
}

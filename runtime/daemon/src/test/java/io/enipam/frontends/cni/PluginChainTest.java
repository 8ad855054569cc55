package io.enipam.frontends.cni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.daemon.testing.LivingDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A list of plugins as a runtime runs it: loopback, then enipam, then tuning, both of the CNI project's own; in a network namespace
 * that there is. ADD in order, each told what those before it told; CHECK; DEL in reverse order, twice.
 */
@Timeout(180)
@EnabledIf(
        value = "pluginsAreHere",
        disabledReason = "/usr/lib/cni/tuning is not here: apt-get install containernetworking-plugins")
class PluginChainTest {
    private static final Path PLUGINS = Path.of("/usr/lib/cni");
    private static final String NETNS =
            "enipam-chain-" + ProcessHandle.current().pid();
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    private static Path root;

    private static LivingDaemon daemon;
    private static CniClient enipam;

    static boolean pluginsAreHere() {
        return Files.isExecutable(PLUGINS.resolve("tuning")) && Files.isExecutable(PLUGINS.resolve("loopback"));
    }

    @BeforeAll
    static void begin() throws Exception {
        CniClient.Told made = process(Map.of(), "", "ip", "netns", "add", NETNS);
        assumeTrue(made.exit() == 0, "no network namespace can be made here, which takes root: " + made.stderr());
        // where the kernel is left alone, somebody else makes the link that tuning looks at
        assertThat(process(
                        Map.of(), "", "ip", "-n", NETNS, "link", "add", "eth0", "type", "veth", "peer", "name", "x0"))
                .isEqualTo(new CniClient.Told(0, "", ""));
        daemon = LivingDaemon.start(root.resolve("r"));
        enipam = new CniClient(root.resolve("r/run/cni.sock"));
    }

    @AfterAll
    static void end() throws Exception {
        if (daemon != null) {
            daemon.close();
        }
        process(Map.of(), "", "ip", "netns", "delete", NETNS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.3.0", "0.3.1", "0.4.0", "1.0.0"})
    void aChainWithPluginsOfOthersWorksInEachVersionThatTheySpeak(String version) throws Exception {
        String container = "chain-" + version;
        List<ObjectNode> chain = List.of(
                plugin(version, "loopback", "{}"),
                plugin(version, "enipam-cni", "{\"mtu\":1400,\"dns\":{\"nameservers\":[\"10.0.0.10\"]}}"),
                plugin(version, "tuning", "{\"sysctl\":{\"net.ipv4.conf.lo.arp_announce\":\"2\"}}"));

        Optional<JsonNode> result = Optional.empty();
        for (ObjectNode conf : chain) {
            CniClient.Told told = call("ADD", container, conf, result);
            assertThat(told.exit()).as(conf.path("type") + ": " + told.stdout()).isZero();
            result = Optional.of(told.json());
        }

        JsonNode last = result.orElseThrow();
        assertThat(last.path("cniVersion").asText()).isEqualTo(version);
        assertThat(last.at("/interfaces/0/name").asText()).as("loopback's").isEqualTo("lo");
        assertThat(last.path("ips")).as("those of all, in order").hasSizeGreaterThanOrEqualTo(2);
        assertThat(last.path("ips")
                        .get(last.path("ips").size() - 1)
                        .path("address")
                        .asText())
                .matches("10\\.[0-9.]+/32");
        assertThat(last.at("/dns/nameservers/0").asText()).isEqualTo("10.0.0.10");
        assertThat(process(Map.of(), "", "ip", "netns", "exec", NETNS, "cat", "/proc/sys/net/ipv4/conf/lo/arp_announce")
                        .stdout())
                .isEqualTo("2\n");

        if (version.compareTo("0.4.0") >= 0) {
            for (ObjectNode conf : chain) {
                assertThat(call("CHECK", container, conf, result))
                        .as("CHECK of " + conf.path("type"))
                        .isEqualTo(new CniClient.Told(0, "", ""));
            }
        }
        List<ObjectNode> reversed = new ArrayList<>(chain);
        Collections.reverse(reversed);
        for (int time = 0; time < 2; time++) {
            for (ObjectNode conf : reversed) {
                assertThat(call("DEL", container, conf, result).exit())
                        .as("DEL of " + conf.path("type") + ", time " + time)
                        .isZero();
            }
        }
        assertThat(call("CHECK", container, plugin("0.4.0", "enipam-cni", "{}"), result)
                        .code())
                .as("nothing is left")
                .isEqualTo(3);
    }

    private static ObjectNode plugin(String version, String type, String more) throws IOException {
        ObjectNode conf = (ObjectNode) JSON.readTree(more);
        return conf.put("cniVersion", version).put("name", "chained").put("type", type);
    }

    private static CniClient.Told call(String command, String container, ObjectNode conf, Optional<JsonNode> previous)
            throws Exception {
        ObjectNode whole = conf.deepCopy();
        previous.ifPresent(result -> whole.set("prevResult", result));
        Map<String, String> variables =
                CniClient.variables(command, container, "/run/netns/" + NETNS, "CNI_PATH", PLUGINS.toString());
        String type = conf.path("type").asText();
        return type.equals("enipam-cni")
                ? enipam.call(variables, whole.toString())
                : process(variables, whole.toString(), PLUGINS.resolve(type).toString());
    }

    private static CniClient.Told process(Map<String, String> variables, String stdin, String... command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(root, "out", "");
        Path err = Files.createTempFile(root, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(variables);
        Path in = Files.writeString(Files.createTempFile(root, "in", ""), stdin);
        Process process = builder.redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(command[0]).isTrue();
        return new CniClient.Told(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}

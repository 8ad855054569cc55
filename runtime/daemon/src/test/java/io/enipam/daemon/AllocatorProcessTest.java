package io.enipam.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.DaemonProgram;
import io.enipam.frontends.cni.CniClient;
import io.enipam.frontends.cni.CniClient.Told;
import io.enipam.pluginhost.testing.PluginJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The allocator of the SDK's README in a daemon of its own: served through the CNI, its effects outlive a kill. */
class AllocatorProcessTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)\\n```", Pattern.DOTALL);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NETWORK = "{\"cniVersion\":\"1.1.0\",\"name\":\"files\",\"type\":\"bridge\","
            + "\"ipam\":{\"type\":\"enipam-cni\",\"allocator\":\"files\"}";

    @TempDir
    Path directory;

    private Path root;
    private Path config;
    private Path jar;
    private Path files;
    private Process daemon;
    private int starts;

    @BeforeEach
    void start() throws IOException {
        root = directory.resolve("r");
        Matcher example = EXAMPLE.matcher(Files.readString(Path.of("../../sdk/README.md"), UTF_8));
        assertThat(example.find()).as("the README's example").isTrue();
        jar = PluginJar.of("files")
                .source("package readme;\n" + example.group(1))
                .service("readme.FilesPlugin")
                .write(directory);
        config = Files.writeString(
                directory.resolve("enipam.yaml"),
                "extensions: [files]\nplugins: {files: {addresses: [10.77.0.2/24, 10.77.0.3/24]}}\n");
        files = root.resolve("lib/plugin-data/files");
        serve();
    }

    private void serve() throws IOException {
        Path log = directory.resolve("log-" + starts++);
        daemon = new ProcessBuilder(DaemonProgram.command(
                        DaemonMain.class, root, "--config", config.toString(), "--plugin", jar.toString()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        await().atMost(PATIENCE).until(() -> Files.readString(log).contains("serving on"));
    }

    @AfterEach
    void end() {
        daemon.destroyForcibly();
    }

    @Test
    void itIsServedThroughTheCniAndItsEffectsOutliveAKill() throws Exception {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(call("STATUS", "a", "").stdout()).isEmpty());
        Told first = call("ADD", "a", "");
        assertThat(first.exit()).as(first.stdout()).isZero();
        assertThat(first.json().path("ips").get(0).path("address").asText()).isEqualTo("10.77.0.2/24");
        assertThat(Files.readString(files.resolve("10.77.0.2_24"))).isEqualTo("files/a/eth0");
        assertThat(call("ADD", "a", "").stdout()).as("the same claim").isEqualTo(first.stdout());
        assertThat(call("CHECK", "a", ",\"prevResult\":" + first.stdout()).exit())
                .isZero();

        // what is in the place of the file keeps the effect from going through
        Path obstacle = Files.createDirectory(files.resolve("10.77.0.3_24"));
        Thread caller = new Thread(() -> call("ADD", "b", ""));
        caller.setUncaughtExceptionHandler((thread, deathOfTheDaemon) -> {});
        caller.setDaemon(true);
        caller.start();
        await().atMost(PATIENCE).until(() -> call("CHECK", "b", "").exit() == 0);
        daemon.destroyForcibly().waitFor();
        Files.delete(obstacle);
        serve();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(files.resolve("10.77.0.3_24"))
                        .isRegularFile()
                        .hasContent("files/b/eth0"));
        await().atMost(PATIENCE).until(() -> call("ADD", "a", "").exit() == 0);
        assertThat(call("ADD", "c", "").json().path("code").asInt())
                .as("no address is left")
                .isEqualTo(101);

        assertThat(call("DEL", "a", "").exit()).isZero();
        assertThat(call("DEL", "a", "").exit()).as("again").isZero();
        assertThat(files.resolve("10.77.0.2_24")).doesNotExist();
        assertThat(call("GC", "", ",\"cni.dev/valid-attachments\":[]").exit()).isZero();
        assertThat(files).isEmptyDirectory();
    }

    private Told call(String command, String container, String more) {
        return new CniClient(root.resolve("run/cni.sock"))
                .call(CniClient.variables(command, container, "/var/run/netns/none"), NETWORK + more + "}");
    }
}

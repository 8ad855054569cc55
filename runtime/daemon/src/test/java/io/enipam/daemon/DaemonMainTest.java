package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.daemon.testing.FakeSurroundings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command line, up to where the daemon would start. */
class DaemonMainTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path root;

    @Test
    void aBrokenConfigurationEndsWithEveryProblemOnItsOwnLineAndCode2() throws IOException {
        Files.createDirectories(root.resolve("etc/enipam"));
        Path yaml = Files.writeString(root.resolve("etc/enipam/enipam.yaml"), "pool: {min_idle: x, mx_idle: 1}");

        assertThat(run("--root", root.toString(), "--emulate", "--log-level", "loud"))
                .isEqualTo(2);

        assertThat(err.toString().lines())
                .hasSize(3)
                .allMatch(line -> line.startsWith("enipamd: "))
                .anyMatch(line -> line.contains(yaml + ": pool.min_idle: 'x' is not allowed"))
                .anyMatch(line -> line.contains("did you mean pool.max_idle?"))
                .anyMatch(line -> line.contains("command line: log.level: 'loud'"));
    }

    @Test
    void checkingTheConfigurationTouchesNothing() throws IOException {
        Path config = Files.writeString(root.resolve("x.yaml"), "pool: {min_idle: 9}");

        int code = run(
                "--root",
                root.resolve("absent").toString(),
                "--emulate",
                "--check-config",
                "--config",
                config.toString());

        assertThat(code).isZero();
        assertThat(out.toString()).contains("the configuration is valid");
        assertThat(err.toString()).contains("warning: pool.min_idle 9 is above");
        try (Stream<Path> files = Files.list(root)) {
            assertThat(files).containsExactly(config);
        }
    }

    @Test
    void anEmulatedCloudNeedsARoot() {
        assertThat(run("--emulate")).isEqualTo(2);
        assertThat(err.toString()).contains("--emulate needs --root DIR");
    }

    @Test
    void anUnknownOptionIsRefusedWithTheNearestOne() {
        assertThat(run("--emulat")).isEqualTo(2);
        assertThat(err.toString()).contains("--emulate");
    }

    @Test
    void aPluginThatIsNotThereIsToldBeforeAnythingIsStarted() {
        Path absent = root.resolve("absent.jar");

        assertThat(run("--root", root.toString(), "--emulate", "--plugin", absent.toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--plugin " + absent + ": there is no such file or directory");
    }

    @Test
    void whatIsWrongWithPluginsIsToldWithTheRestOfTheConfiguration() throws IOException {
        Path plugins = Files.createDirectories(root.resolve("lib/plugins"));
        loud().write(plugins);
        PluginJar.of("broken").without("Sdk-Version").plugin("").write(plugins);
        Files.createDirectories(root.resolve("etc/enipam"));
        Files.writeString(
                root.resolve("etc/enipam/enipam.yaml"),
                "{pool: {min_idle: x}, plugins: {loud: {volume: 12, base: 1}}}");

        assertThat(run("--root", root.toString(), "--emulate", "--check-config"))
                .isEqualTo(2);

        assertThat(err.toString())
                .contains("pool.min_idle: 'x' is not allowed")
                .contains("plugins.loud.volume: '12' is not allowed; allowed is a whole number, 0 to 11")
                .contains("plugins.loud.base: unknown key")
                .contains("plugin broken (")
                .contains("Sdk-Version");
    }

    @Test
    void theReferenceHasTheSettingsOfPlugins() throws IOException {
        Path jar = loud().write(root);

        assertThat(run("--root", root.toString(), "--emulate", "--plugin", jar.toString(), "--config-reference"))
                .isZero();

        assertThat(out.toString())
                .contains("## `plugins.loud` in `enipam.yaml`")
                .contains("| `volume` | `11` | a whole number, 0 to 11 | How loud. |");
    }

    private static PluginJar loud() {
        return PluginJar.of("loud").plugin("""
                private static final Setting<Integer> VOLUME = Setting.wholeNumber("volume", 0, 11, 11).doc("How loud.");
                public List<Setting<?>> settings() { return List.of(VOLUME); }
                """);
    }

    @Test
    void theVersionIsPrinted() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString()).startsWith("enipamd ");
    }

    private int run(String... args) {
        return new CommandLine(new DaemonMain(new FakeSurroundings(), FakeSurroundings.assembly()))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }
}

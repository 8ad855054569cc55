package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.etcd.testing.EtcdServer;
import io.enipam.pluginhost.testing.PluginJar;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an extension brings for operators, in a sandbox and its shell: a command, a check, a metric, an event. */
class PluginForOperatorsIT extends SandboxFixture {
    private static final String PLUGIN = """
            static final Setting<String> RANGE = Setting.text("range", "a range", "[0-9./]*", "");

            public List<Extension> extensions() {
                return List.of(new Extension() {
                    public String name() { return "range-views"; }
                    public Part open(Host host) {
                        host.signals().counter(Meter.of("opened", "How often it was opened.")).add(1);
                        host.signals().event(PluginEvent.info("Opened", "range-views", "The ranges are ready."));
                        return new Part() {
                            public List<Command> commands() {
                                return List.of(new Command() {
                                    public CommandSpec spec() {
                                        return CommandSpec.read("How full each range is.", "rangeviews", "ranges").option(RANGE);
                                    }
                                    public Answer run(Call call) {
                                        DiagnosticTable table = DiagnosticTable.of("RANGE", "USED");
                                        return Answer.table(table.row("10.9.0.0/24" + call.arguments().get(RANGE), "3"));
                                    }
                                    public List<String> complete(Setting<?> parameter, String typed) {
                                        return List.of("10.9.0.0/24");
                                    }
                                });
                            }
                            public List<Check> checks() {
                                return List.of(Check.of("full", "a range is full", request -> List.of(
                                        new Finding(Finding.Severity.INFO, "10.9.0.0/24", "it is half full", "rangeviews ranges"))));
                            }
                        };
                    }
                });
            }
            """;

    /** Apart from the scratch directory, in which a sandbox leaves nothing. */
    @TempDir
    Path given;

    private Path plugin;
    private Path config;
    private int port;

    @BeforeEach
    void write() throws IOException {
        plugin = PluginJar.of("rangeviews").plugin(PLUGIN).write(given);
        // not one of those that the kernel gives to outgoing connections: the daemon listens seconds later
        port = EtcdServer.freePort();
        config = Files.writeString(
                given.resolve("enipam.yaml"),
                "{extensions: [range-views], metrics: {listen: '127.0.0.1:" + port + "'}}");
    }

    @Test
    void aCommandIsThereAsSoonAsTheDaemonServes() throws IOException {
        ProgramRunner.Result result = programs.enipam(
                "--sandbox",
                "--plugin",
                plugin.toString(),
                "--config",
                config.toString(),
                "-c",
                "rangeviews ranges -o json | jq -r '.rows[0].cells[1]'; rangeviews ranges | grep 10.9;"
                        + " doctor rangeviews/full --fail-on none; events --type rangeviews/Opened");

        assertThat(result.status()).as(result.toString()).isZero();
        assertThat(result.out())
                .startsWith("3\n10.9.0.0/24  3\n")
                .contains("rangeviews/full")
                .contains("it is half full")
                .contains("The ranges are ready.");
    }

    @Test
    void tabCompletesItsWordsAndValuesAndItsCounterIsScraped() throws Exception {
        try (PseudoTerminal terminal = PseudoTerminal.run(
                programs.environment(),
                ProgramRunner.shell().toString(),
                "--sandbox",
                "--plugin",
                plugin.toString(),
                "--config",
                config.toString())) {
            terminal.await(")> ");
            terminal.type("plugin help rangeviews\r");
            terminal.await("How full each range is.");
            terminal.await(")> ");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(scraped())
                            .contains("enipam_plugin_rangeviews_opened_total{plugin=\"rangeviews\"} 1.0"));
            terminal.type("rangev\tran\t--ran\t10.");
            terminal.complete("10.9.0.0/24");
            terminal.type("\r");
            terminal.await("10.9.0.0/2410.9.0.0/24");
            terminal.await(")> ");
            terminal.type("exit\r");
            assertThat(terminal.exit()).isZero();
        }
    }

    private String scraped() throws IOException, InterruptedException {
        URI page = URI.create("http://127.0.0.1:" + port + "/metrics");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(page)
                                .timeout(Duration.ofSeconds(20))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }
}

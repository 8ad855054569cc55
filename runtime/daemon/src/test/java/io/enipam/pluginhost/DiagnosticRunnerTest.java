package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiagnosticRunnerTest {
    private static final String PLUGIN = """
            private static final Setting<Integer> ROWS = Setting.wholeNumber("rows", 0, 20_000, 1).unit("rows").doc("How many.");
            private static final Setting<Integer> WIDTH = Setting.wholeNumber("width", 0, 10_000, 5_000);
            private static final Setting<List<String>> WORDS = Setting.texts("words", "words", "[a-z]+", 3, List.of());
            private static final Setting<String> KEY = Setting.text("key", "letters", "[a-z]*", "").secret();

            public List<Setting<?>> settings() { return List.of(KEY); }

            public List<Diagnostic> diagnostics() {
                return List.of(new Diagnostic() {
                    public String name() { return "echo"; }
                    public String summary() { return "Says what it was asked."; }
                    public List<Setting<?>> parameters() { return List.of(ROWS, WIDTH, WORDS); }
                    public DiagnosticTable run(DiagnosticRequest request) {
                        List<List<String>> rows = new ArrayList<>();
                        for (int i = 0; i < request.arguments().get(ROWS); i++) {
                            rows.add(List.of(
                                    String.join("+", request.arguments().get(WORDS)),
                                    "" + request.pool().count(ResourceState.IN_USE),
                                    "x".repeat(request.arguments().get(WIDTH))));
                        }
                        return new DiagnosticTable(List.of("WORDS", "IN USE", "LONG"), rows);
                    }
                }, new Diagnostic() {
                    public String name() { return "nothing"; }
                    public String summary() { return "Answers nothing."; }
                    public DiagnosticTable run(DiagnosticRequest request) { return null; }
                });
            }
            """;

    @TempDir
    Path root;

    @AutoClose
    private LivingDaemon daemon;

    @BeforeEach
    void start() throws IOException {
        PluginJar.of("talker").plugin(PLUGIN).write(Files.createDirectories(root.resolve("lib/plugins")));
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"),
                "plugins: {talker: {key: geheim}}");
        daemon = LivingDaemon.start(root);
    }

    @Test
    void parametersAreReadByTheirSchemaAndThePoolIsThatOfTheMoment() {
        daemon.client().add("default/a");

        RunDiagnosticReply reply = run("echo", Map.of("rows", "2", "words", "a,bc"));

        assertThat(reply.getColumnsList()).containsExactly("WORDS", "IN USE", "LONG");
        assertThat(reply.getRowsList()).hasSize(2).allSatisfy(row -> {
            assertThat(row.getCells(0)).isEqualTo("a+bc");
            assertThat(row.getCells(1)).isEqualTo("1");
            assertThat(row.getCells(2)).hasSize(1_000).endsWith("...");
        });
        assertThat(reply.getTruncated()).isFalse();
    }

    @Test
    void aTableTooLongIsCutToWhatFitsIntoAReplyAndSaysSo() {
        RunDiagnosticReply wide = run("echo", Map.of("rows", "10001"));

        assertThat(wide.getRowsCount()).isBetween(900, 1_000);
        assertThat(wide.getTruncated()).isTrue();
        RunDiagnosticReply longest = run("echo", Map.of("rows", "10001", "width", "5"));
        assertThat(longest.getRowsCount()).isEqualTo(10_000);
        assertThat(longest.getTruncated()).isTrue();
    }

    @Test
    void everyWrongArgumentIsToldAtOnce() {
        assertThatThrownBy(() -> run("echo", Map.of("rows", "many", "row", "1")))
                .hasMessageContaining("rows: 'many' is not allowed; allowed is a whole number, 0 to 20000 (rows)")
                .hasMessageContaining("row: there is no such parameter");
        assertThatThrownBy(() -> run("ecko", Map.of())).hasMessageContaining("did you mean echo?");
        assertThatThrownBy(() -> run("nothing", Map.of())).hasMessageContaining("diagnostic nothing of plugin talker");
    }

    @Test
    void whatCanBeAskedForIsToldAndSecretsAreNot() {
        var plugin = daemon.client().plugin("talker");

        assertThat(plugin.getDiagnosticsList())
                .extracting(PluginDiagnostic::getName)
                .containsExactly("echo", "nothing");
        assertThat(plugin.getDiagnostics(0).getParameters(0).getAllowed())
                .isEqualTo("a whole number, 0 to 20000 (rows)");
        assertThat(plugin.getSettings(0).getValue()).isEqualTo("***");
        assertThat(plugin.toString()).doesNotContain("geheim");
    }

    private RunDiagnosticReply run(String name, Map<String, String> arguments) {
        return daemon.client()
                .inspect()
                .runDiagnostic(RunDiagnosticRequest.newBuilder()
                        .setPlugin("talker")
                        .setName(name)
                        .putAllArguments(arguments)
                        .build());
    }
}

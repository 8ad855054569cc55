package io.enipam.pluginhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.VerifyDbRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a plugin keeps in its tables, from one daemon to the next. */
class PluginStateTest {
    private static final String PLUGIN = """
            static final Table<String> OPENINGS = new Table<>("openings", 1, Codec.text());
            static volatile Journal journal;

            public List<PoolPolicyProvider> poolPolicies() {
                return List.of(new PoolPolicyProvider() {
                    public String name() { return "counting"; }
                    public PoolPolicy open(PluginContext context) {
                        journal = context.journal();
                        journal.open(OPENINGS);
                        journal.update(tx -> tx.put(
                                OPENINGS, "opening/" + tx.scan(OPENINGS, "").count(), "{\\"at\\":\\"boot\\"}"))
                            .toCompletableFuture().join();
                        return () -> "counting";
                    }
                });
            }

            public List<Diagnostic> diagnostics() {
                return List.of(Diagnostic.of("openings", "The openings.", List.of(), request -> {
                    DiagnosticTable table = DiagnosticTable.of("KEY", "REVISION");
                    for (Row<String> row : journal.read(tx -> tx.scan(OPENINGS, "").toList())) {
                        table = table.row(row.key(), Long.toString(row.revision()));
                    }
                    return table;
                }));
            }
            """;

    @TempDir
    Path root;

    @Test
    void whatAPluginCommittedIsThereForTheNextDaemonAndInTheDumpOfTheDatabase() throws IOException {
        PluginJar.of("counter").plugin(PLUGIN).write(Files.createDirectories(root.resolve("lib/plugins")));
        Files.writeString(
                Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"), "pool: {policy: counting}");

        try (LivingDaemon daemon = LivingDaemon.start(root)) {
            assertThat(openings(daemon)).containsExactly("opening/0 1");
        }
        try (LivingDaemon daemon = LivingDaemon.start(root)) {
            assertThat(openings(daemon)).containsExactly("opening/0 1", "opening/1 2");
            assertThat(dump(daemon))
                    .extracting(DbRecord::getKey)
                    .containsExactly("counter/openings/opening/0", "counter/openings/opening/1");
            assertThat(dump(daemon).get(0).getValue())
                    .isEqualTo(
                            "{\"v\":1,\"plugin\":\"counter\",\"table\":\"openings\",\"key\":\"opening/0\",\"version\":1,"
                                    + "\"revision\":1,\"value\":{\"at\":\"boot\"}}");
            assertThat(daemon.client()
                            .inspect()
                            .verifyDb(VerifyDbRequest.getDefaultInstance())
                            .getProblemsList())
                    .isEmpty();
        }
    }

    private static List<String> openings(LivingDaemon daemon) {
        return daemon
                .client()
                .inspect()
                .runDiagnostic(RunDiagnosticRequest.newBuilder()
                        .setPlugin("counter")
                        .setName("openings")
                        .build())
                .getRowsList()
                .stream()
                .map(row -> String.join(" ", row.getCellsList()))
                .toList();
    }

    private static List<DbRecord> dump(LivingDaemon daemon) {
        List<DbRecord> records = new ArrayList<>();
        daemon.client()
                .inspect()
                .dumpDb(DumpDbRequest.newBuilder().setBucket("tables").build())
                .forEachRemaining(reply -> records.addAll(reply.getRecordsList()));
        return records;
    }
}

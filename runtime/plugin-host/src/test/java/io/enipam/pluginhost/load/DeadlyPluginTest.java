package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.pluginhost.testing.PluginJar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plugins that end the process while they are loaded: processes of their own, started one after the other. */
class DeadlyPluginTest {
    private static final int DEADLY = 77;
    private static final String HALT =
            "Runtime.class.getMethod(\"halt\", int.class).invoke(Runtime.getRuntime(), " + DEADLY + ");";
    private static final String EXIT = "System.class.getMethod(\"exit\", int.class).invoke(null, " + DEADLY + ");";

    @TempDir
    Path temporary;

    private Path installed;
    private Path record;

    @BeforeEach
    void directories() throws IOException {
        installed = Files.createDirectory(temporary.resolve("plugins"));
        record = temporary.resolve("plugin-loading");
        PluginJar.of("ash").plugin("").write(installed);
        PluginJar.of("oak").plugin("").write(installed);
    }

    /** A daemon as far as its plugins go: loads all, says what became of each, and ends. */
    static final class LoadingProcess {
        private LoadingProcess() {}

        public static void main(String[] args) {
            PluginCatalog catalog = PluginCatalog.find(
                    PluginInstallation.places(Path.of(args[0])),
                    PluginJar.SDK_VERSION,
                    Set.of(),
                    PluginInstallation.PATIENT,
                    args.length > 2 ? LoadingRecord.readOnly(Path.of(args[1])) : LoadingRecord.in(Path.of(args[1])));
            // as the daemon's hook does
            Runtime.getRuntime().addShutdownHook(new Thread(catalog::close));
            catalog.loadAll();
            catalog.plugins()
                    .forEach(plugin -> System.out.println(plugin.manifest().id() + " is loaded"));
            catalog.rejected().forEach(plugin -> System.out.println(plugin.name() + ": " + plugin.cause()));
        }
    }

    private record Ended(int status, String said) {}

    private Ended start(String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LoadingProcess.class.getName(),
                installed.toString(),
                record.toString()));
        command.addAll(List.of(more));
        Path out = temporary.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return new Ended(process.exitValue(), Files.readString(out, StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {HALT, EXIT})
    void aPluginThatEndedTwoProcessesInARowIsSetAsideAndNamed(String end) throws Exception {
        PluginJar.of("birch")
                .plugin("public Plugin() throws Exception { " + end + " }")
                .write(installed);

        assertThat(start().status()).isEqualTo(DEADLY);
        assertThat(start().status()).isEqualTo(DEADLY);
        Ended third = start();

        assertThat(third.status()).isZero();
        assertThat(third.said())
                .contains("ash is loaded", "oak is loaded")
                .contains("birch: set aside, since the daemon ended 2 times in a row while it loaded this plugin")
                .contains("plugin reload birch", record.resolve("birch") + " was removed");
        assertThat(start().said()).as("it stays aside").contains("birch: set aside");
    }

    @Test
    void aReplacedJarIsLoadedAgainAndSoIsTheSameOneWithoutItsFile() throws Exception {
        Path jar = PluginJar.of("birch")
                .plugin("public Plugin() throws Exception { " + HALT + " }")
                .write(installed);
        start();
        start();
        assertThat(start().status()).isZero();

        Files.delete(record.resolve("birch"));
        assertThat(start().status()).isEqualTo(DEADLY);
        start();
        assertThat(start().said()).contains("birch: set aside");
        Files.setLastModifiedTime(jar, FileTime.from(Instant.EPOCH));

        assertThat(start().status()).isEqualTo(DEADLY);
    }

    @Test
    void aPluginThatIsLoadedInTheEndIsForgiven() throws Exception {
        Path once = temporary.resolve("once");
        PluginJar.of("birch")
                .plugin("public Plugin() throws Exception { if (!new java.io.File(\"" + once
                        + "\").delete()) { return; } " + HALT + " }")
                .write(installed);
        for (int i = 0; i < 2; i++) {
            Files.createFile(once);
            assertThat(start().status()).isEqualTo(DEADLY);
            assertThat(start().said()).contains("birch is loaded");
            assertThat(record).isEmptyDirectory();
        }
    }

    @Test
    void aPluginThatWasSetAsideIsLoadedOnceMoreWhenTheOperatorAsksForIt() throws Exception {
        Path deadly = Files.createFile(temporary.resolve("deadly"));
        PluginJar.of("birch")
                .plugin("public Plugin() throws Exception { if (new java.io.File(\"" + deadly + "\").exists()) { "
                        + HALT + " } }")
                .write(installed);
        start();
        start();
        Files.delete(deadly);

        try (PluginCatalog catalog = PluginCatalog.find(
                        PluginInstallation.places(installed),
                        PluginJar.SDK_VERSION,
                        Set.of(),
                        PluginInstallation.PATIENT,
                        LoadingRecord.in(record))
                .loadAll()) {
            assertThat(catalog.rejected())
                    .extracting(PluginCatalog.RejectedPlugin::name)
                    .containsExactly("birch");

            catalog.use(catalog.loadAnew("birch"));

            assertThat(catalog.rejected()).isEmpty();
            assertThat(catalog.plugin("birch")).isPresent();
            assertThat(record).isEmptyDirectory();
        }
    }

    @Test
    void aProgramThatMustChangeNothingSetsAsideWhatADaemonDoes() throws Exception {
        PluginJar.of("birch")
                .plugin("public Plugin() throws Exception { " + HALT + " }")
                .write(installed);

        assertThat(start("read-only").status()).isEqualTo(DEADLY);
        assertThat(record).doesNotExist();
        start();
        start();
        byte[] before = Files.readAllBytes(record.resolve("birch"));

        assertThat(start("read-only").said()).contains("birch: set aside");
        assertThat(Files.readAllBytes(record.resolve("birch"))).isEqualTo(before);
    }

    @Test
    void aRecordThatCannotBeReadSetsNothingAside() throws Exception {
        Files.createDirectories(record);
        Files.writeString(record.resolve("ash"), "{\"deaths\":7,\"ja");

        assertThat(start().said()).contains("ash is loaded");
        assertThat(record).isEmptyDirectory();
    }
}

package io.enipam.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the daemon's launcher starts, with a java that prints what it was called with. */
@Timeout(120)
class LauncherTest {
    @TempDir
    Path directory;

    private Path home;
    private final Map<String, String> environment = new TreeMap<>();

    @BeforeEach
    void aBuiltCheckoutAndAJava() throws Exception {
        home = Checkout.in(directory.resolve("home")).home();
        Path jdk = directory.resolve("jdk");
        Path java = Files.createDirectories(jdk.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nfor word in \"$@\"; do echo \"$word\"; done\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        environment.put("JAVA_HOME", jdk.toString());
    }

    private Program start(String program, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(home.resolve(program).toString()));
        command.addAll(List.of(args));
        return Program.run(directory, environment, command);
    }

    private List<String> words(String... args) throws Exception {
        Program daemon = start("runtime/bin/enipamd", args);
        assertThat(daemon.err()).isEmpty();
        assertThat(daemon.status()).isZero();
        return daemon.out().lines().toList();
    }

    @Test
    void theHeapIsBoundedAndNothingIsDumpedUnlessSomebodyAsks() throws Exception {
        assertThat(words("--version"))
                .contains("-Xmx256m", "-XX:MaxDirectMemorySize=64m")
                .noneMatch(word -> word.contains("HeapDump"))
                .endsWith("io.enipam.daemon.DaemonMain", "--version");
    }

    @ParameterizedTest
    @ValueSource(strings = {"64m", "384m", "16384m"})
    void aBoundOfOnesOwnIsTaken(String heap) throws Exception {
        environment.put("ENIPAM_HEAP", heap);

        assertThat(words()).contains("-Xmx" + heap).doesNotContain("-Xmx256m");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"63m", "17g", "256", "-1m", "0x100m", "256k", "1g -XX:+Foo", "m", "099m", "99999999999999g"})
    void aBoundThatIsNoneIsWrongUsageAndNoOptionOfTheJvm(String heap) throws Exception {
        environment.put("ENIPAM_HEAP", heap);

        Program daemon = start("runtime/bin/enipamd");

        assertThat(daemon.status()).isEqualTo(2);
        assertThat(daemon.out()).isEmpty();
        assertThat(daemon.err()).contains("64m to 16g are allowed").hasLineCount(1);
    }

    @Test
    void theJitsLastTierIsLeftOutUnlessItIsAskedFor() throws Exception {
        assertThat(words()).contains("-XX:TieredStopAtLevel=1");

        environment.put("ENIPAM_JIT", "full");
        assertThat(words()).noneMatch(word -> word.contains("TieredStopAtLevel"));

        environment.put("ENIPAM_JIT", "c2");
        Program daemon = start("runtime/bin/enipamd");
        assertThat(daemon.status()).isEqualTo(2);
        assertThat(daemon.out()).isEmpty();
        assertThat(daemon.err()).contains("ENIPAM_JIT is 'c2'").hasLineCount(1);
    }

    @Test
    void aDumpGoesToADirectoryThatIsThere() throws Exception {
        Path dumps = Files.createDirectory(directory.resolve("heap dumps"));
        environment.put("ENIPAM_HEAP_DUMP", dumps.toString());
        assertThat(words()).contains("-XX:+HeapDumpOnOutOfMemoryError", "-XX:HeapDumpPath=" + dumps);

        environment.put("ENIPAM_HEAP_DUMP", dumps + "/none");
        assertThat(start("runtime/bin/enipamd").status()).isEqualTo(2);
    }

    @Test
    void anInstalledCopyRunsEachProgramOnTheJarsOfItsListAndLoadsThePluginsBesideIt() throws Exception {
        Path lib = Files.createDirectory(home.resolve("lib"));
        Files.writeString(lib.resolve("daemon.jars"), "enipam-daemon-1.jar\nnetty-1.jar\n");
        Files.writeString(lib.resolve("shell.jars"), "enipam-shell-1.jar\nnetty-1.jar\n");
        assertThat(words("--version")).contains(lib + "/enipam-daemon-1.jar:" + lib + "/netty-1.jar");
        assertThat(start("shell/bin/enipam", "status").out().lines())
                .contains(lib + "/enipam-shell-1.jar:" + lib + "/netty-1.jar");

        Files.createDirectories(home.resolve("plugins"));
        assertThat(words("--version")).doesNotContain("--plugin");

        Files.createDirectories(home.resolve("plugins/a plugin"));
        Files.createDirectories(home.resolve("plugins/other"));
        assertThat(words("--check-config"))
                .endsWith(
                        "io.enipam.daemon.DaemonMain",
                        "--check-config",
                        "--plugin",
                        home + "/plugins/a plugin",
                        "--plugin",
                        home + "/plugins/other");
    }
}

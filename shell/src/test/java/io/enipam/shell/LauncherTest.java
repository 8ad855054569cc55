package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.TestShell.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launchers, in a checkout of their own with a blank in its path, with a java that prints what it was called with
 * and a Maven that writes down that it was called.
 */
@Timeout(120)
class LauncherTest {
    @TempDir
    Path directory;

    private Path home;
    private Path jdk;
    private Path tools;

    @BeforeEach
    void checkout() throws IOException {
        home = directory.resolve("a checkout");
        jdk = directory.resolve("jdk");
        tools = directory.resolve("tools");
        for (String file : List.of("shell/bin/enipam", "runtime/bin/enipamd", "runtime/bin/enipam-cloud")) {
            copy(file);
        }
        copy("runtime/bin/launch.sh");
        jdk(17);
        script(tools.resolve("mvn"), """
                echo "maven noise"
                echo "$*" >>'%1$s/mvn-was-called'
                sleep 0.3
                for module in shell runtime/daemon; do mkdir -p $module/target/lib; touch $module/target/lib/lib.jar; done
                touch shell/target/enipam-shell-0.1.0.jar runtime/daemon/target/enipam-daemon-0.1.0.jar
                """.formatted(directory));
    }

    private void copy(String file) throws IOException {
        Files.createDirectories(home.resolve(file).getParent());
        Files.copy(Path.of("..").resolve(file), home.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
    }

    private void jdk(int version) throws IOException {
        script(jdk.resolve("bin/java"), "for word in \"$@\"; do echo \"$word\"; done");
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"" + version + ".0.1\"\n");
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Process start(Path program, Map<String, String> env, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", tools + ":/usr/bin:/bin");
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().putAll(env);
        return builder.start();
    }

    private Result run(Path program, String... args) throws IOException, InterruptedException {
        return Result.of(start(program, Map.of(), args));
    }

    private long builds() throws IOException {
        Path calls = directory.resolve("mvn-was-called");
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    @Test
    void buildsOnceWithOneLineAndHandsTheArgumentsOnUntouched() throws Exception {
        Path shell = home.resolve("shell/bin/enipam");

        Result first = run(shell, "-c", "db get 'a  b'", "--", "", "x y");
        Result second = run(shell, "status");

        assertThat(first.err())
                .isEqualTo(
                        "building enipam for its first use, shell and daemon without their tests: about a minute...\n");
        assertThat(second.err()).isEmpty();
        assertThat(builds()).isEqualTo(1);
        assertThat(first.out())
                .contains("-Denipam.home=" + home + "\n")
                .contains("-Denipam.tty=\n")
                .endsWith("\n-cp\n" + home + "/shell/target/enipam-shell-0.1.0.jar:" + home
                        + "/shell/target/lib/lib.jar\n" + "io.enipam.shell.ShellMain\n-c\ndb get 'a  b'\n--\n\nx y\n");
        assertThat(second.out()).endsWith("\nio.enipam.shell.ShellMain\nstatus\n");
    }

    /** The shell waits half a minute for the daemon of a sandbox, which is less than such a build takes. */
    @Test
    void theApiServerOfASandboxWithNodesIsBuiltBeforeTheShellWaitsForIt() throws Exception {
        Path module = Files.createDirectories(home.resolve("runtime/cluster-sandbox"));
        Files.createFile(module.resolve("pom.xml"));
        script(tools.resolve("mvn"), Files.readString(tools.resolve("mvn")) + """
                case $* in
                  *runtime/cluster-sandbox*)
                    mkdir -p runtime/cluster-sandbox/target/lib
                    touch runtime/cluster-sandbox/target/lib/lib.jar runtime/cluster-sandbox/target/enipam-cluster-sandbox-0.1.0.jar ;;
                esac
                """);
        Path shell = home.resolve("shell/bin/enipam");

        assertThat(run(shell, "--sandbox").err()).hasLineCount(1);
        Result first = run(shell, "--sandbox", "--role", "cluster", "--nodes", "50");
        Result second = run(shell, "--sandbox", "--role", "cluster", "--nodes", "50");

        assertThat(first.err())
                .startsWith("building runtime/cluster-sandbox for its first use, ")
                .hasLineCount(1);
        assertThat(first.out()).endsWith("\nio.enipam.shell.ShellMain\n--sandbox\n--role\ncluster\n--nodes\n50\n");
        assertThat(second.err()).isEmpty();
        assertThat(Files.readString(directory.resolve("mvn-was-called")).lines())
                .hasSize(2)
                .last()
                .asString()
                .contains("-Dlaunch.skip.test.classes=false -pl runtime/cluster-sandbox -am package");
    }

    @Test
    void twoAtOnceBuildOnce() throws Exception {
        Process one = start(home.resolve("shell/bin/enipam"), Map.of());
        Process two = start(home.resolve("runtime/bin/enipamd"), Map.of());

        assertThat(Result.of(one).status()).isZero();
        assertThat(Result.of(two).status()).isZero();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void aBuildThatWasBrokenOffIsDoneAgain() throws Exception {
        run(home.resolve("shell/bin/enipam"));
        Files.createFile(home.resolve("shell/target/.enipam-building"));

        run(home.resolve("shell/bin/enipam"));

        assertThat(builds()).isEqualTo(2);
        assertThat(home.resolve("shell/target/.enipam-building")).doesNotExist();
    }

    @Test
    void aBuildThatFailsShowsTheEndOfMavensLog() throws Exception {
        script(tools.resolve("mvn"), "for i in $(seq 50); do echo line $i; done; exit 1");

        Result result = run(home.resolve("shell/bin/enipam"));

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("line 50\nenipam: the build failed").doesNotContain("line 20\n");
    }

    /** A build leaves a module's jar as it was if its classes are the same: the module was said to be stale for good. */
    @Test
    void aPersonIsToldOfSourcesThatAreNewerThanTheLastBuildAndNotThanAJarThatItLeft() throws Exception {
        Path shell = home.resolve("shell/bin/enipam");
        run(shell);
        Files.createFile(home.resolve("pom.xml"));
        madeAt(2_000, home.resolve("runtime/store/src/main/java/Store.java"));
        madeAt(1_000, home.resolve("runtime/store/target/enipam-store-0.1.0.jar"));
        Path built = Files.setLastModifiedTime(home.resolve("runtime/daemon/target/lib"), FileTime.fromMillis(3_000));

        assertThat(onTerminal(shell)).doesNotContain("is newer than what was built of it");

        Files.setLastModifiedTime(built, FileTime.fromMillis(1_500));
        assertThat(onTerminal(shell)).contains("enipam: runtime/store/src/main is newer than what was built of it");
    }

    private static Path madeAt(long millis, Path file) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.setLastModifiedTime(Files.createFile(file), FileTime.fromMillis(millis));
    }

    private String onTerminal(Path program) throws IOException, InterruptedException {
        String quoted = "'" + program + "'";
        return Result.of(start(Path.of("/usr/bin/script"), Map.of(), "-qec", quoted, "/dev/null"))
                .out();
    }

    @Test
    void runsThroughSymbolicLinksFromAnywhere() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("link"), home.resolve("shell/bin/enipam"));
        Path again = Files.createSymbolicLink(tools.resolve("enipam"), link);

        assertThat(run(again, "status").out()).contains("-Denipam.home=" + home + "\n");
    }

    @Test
    void theClientOfTheApiServerIsBehindTheOtherJarsOfTheShellWhereACommandNeedsIt() throws Exception {
        run(home.resolve("shell/bin/enipam"));
        Files.createFile(home.resolve("shell/target/lib/kubernetes-client-7.jar"));
        String others = home + "/shell/target/enipam-shell-0.1.0.jar:" + home + "/shell/target/lib/lib.jar";
        String client = ":" + home + "/shell/target/lib/kubernetes-client-7.jar\n";

        for (String option : List.of("--node", "--node=n", "--all-nodes")) {
            assertThat(run(home.resolve("shell/bin/enipam"), "-o", "json", option)
                            .out())
                    .contains("\n-cp\n" + others + client);
        }
        assertThat(run(home.resolve("shell/bin/enipam"), "status").out()).contains("\n-cp\n" + others + "\n");
        Files.createFile(home.resolve("runtime/daemon/target/lib/kubernetes-client-7.jar"));
        assertThat(run(home.resolve("runtime/bin/enipamd")).out())
                .contains("/runtime/daemon/target/lib/kubernetes-client-7.jar:");
    }

    @Test
    void theDaemonAndTheCloudRunFromTheDaemonsClassPath() throws Exception {
        Result daemon = run(home.resolve("runtime/bin/enipamd"), "--root", "/x y");
        Result cloud = run(home.resolve("runtime/bin/enipam-cloud"));

        assertThat(daemon.out())
                .contains("/runtime/daemon/target/enipam-daemon-0.1.0.jar:")
                .contains("\n-XX:TieredStopAtLevel=1\n")
                .endsWith("\nio.enipam.daemon.DaemonMain\n--root\n/x y\n");
        assertThat(cloud.out())
                .contains("/runtime/daemon/target/lib/lib.jar")
                .endsWith("\nio.enipam.emulator.EmulatorMain\n");
    }

    @Test
    void aLaterJdkIsToldThatNativeCodeIsMeant() throws Exception {
        assertThat(run(home.resolve("shell/bin/enipam")).out()).doesNotContain("--enable-native-access");
        jdk(25);
        assertThat(run(home.resolve("shell/bin/enipam")).out())
                .contains("--enable-native-access=ALL-UNNAMED\n", "--sun-misc-unsafe-memory-access=allow\n");
    }

    @Test
    void anOldJavaOrNoneIsAClearError() throws Exception {
        jdk(11);
        Result old = run(home.resolve("shell/bin/enipam"));
        Result none = Result.of(start(
                home.resolve("shell/bin/enipam"),
                Map.of("JAVA_HOME", directory.resolve("nowhere").toString())));

        assertThat(old.status()).isEqualTo(1);
        assertThat(old.err())
                .isEqualTo("enipam: " + jdk + "/bin/java is version 11, and enipam needs 17 or later."
                        + " Set JAVA_HOME to a newer JDK\n");
        assertThat(none.status()).isEqualTo(1);
        assertThat(none.err()).contains("but there is no bin/java in it").hasLineCount(1);
        assertThat(builds()).isZero();
    }

    @Test
    void signalsReachTheProgram() throws Exception {
        run(home.resolve("shell/bin/enipam"));
        script(jdk.resolve("bin/java"), "trap 'exit 9' TERM; echo up; while :; do sleep 0.05; done");
        Process process = start(home.resolve("runtime/bin/enipamd"), Map.of());
        assertThat(process.inputReader().readLine()).isEqualTo("up");

        process.destroy();

        assertThat(process.waitFor()).isEqualTo(9);
    }
}

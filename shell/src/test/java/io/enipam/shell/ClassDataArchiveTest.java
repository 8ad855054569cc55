package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * When the launcher uses a class-data archive, and that it says nothing when it does not: with the real scripts in a
 * checkout of their own, and a java that writes class lists and archives of a few bytes and prints what it was called
 * with. That a JVM takes such an archive, and survives a damaged one, is for those who build the real programs.
 */
@Timeout(120)
class ClassDataArchiveTest {
    private record Result(int status, String out, String err) {}

    @TempDir
    Path directory;

    private Path home;
    private Path jdk;

    @BeforeEach
    void builtCheckout() throws IOException {
        home = directory.resolve("a checkout");
        for (String file : List.of(
                "shell/bin/enipam", "runtime/bin/enipamd", "runtime/bin/enipam-archive", "runtime/bin/launch.sh")) {
            Files.createDirectories(home.resolve(file).getParent());
            Files.copy(Path.of("..").resolve(file), home.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        write("shell/target/enipam-shell-0.1.0.jar", "shell");
        write("shell/target/lib/a.jar", "a");
        write("shell/target/lib/b.jar", "b");
        write("runtime/daemon/target/enipam-daemon-0.1.0.jar", "daemon");
        write("runtime/daemon/target/lib/a.jar", "a");
        jdk = jdk("17", "17.0.1+1", "Some Vendor");
    }

    private void write(String file, String text) throws IOException {
        Files.createDirectories(home.resolve(file).getParent());
        Files.writeString(home.resolve(file), text);
    }

    /** A java that does of the JVM's part what the scripts see of it. */
    private Path jdk(String version, String build, String vendor) throws IOException {
        Path made = directory.resolve("jdk-" + build);
        Path java = made.resolve("bin/java");
        Files.createDirectories(java.getParent());
        Files.writeString(java, """
                #!/bin/sh
                dump= lists= classes=
                for word in "$@"; do
                  case $word in
                    -Xshare:dump) dump=yes ;;
                    -XX:SharedClassListFile=*) classes=${word#*=} ;;
                    -XX:SharedArchiveFile=*) archive=${word#*=} ;;
                    -XX:DumpLoadedClassList=*) lists=${word#*=} ;;
                  esac
                done
                if [ -n "$dump" ]; then { cat "$classes"; echo "dumped $(date +%N)"; } >"$archive"; exit; fi
                if [ -n "$lists" ]; then
                  for list in shell daemon; do
                    printf '%s\\n' Name picocli/CommandLine '@cp picocli/CommandLine 1 2' \\
                      '@cp io/enipam/shell/ShellMain 3' '@cp io/enipam/daemon/DaemonMain 4' '@cp io/grpc/Status 5' \\
                      >"${lists%/*}/$list.classes"
                  done
                  echo watched >>"$0.log"; exit
                fi
                for word in "$@"; do echo "$word"; done
                """);
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(
                made.resolve("release"),
                "IMPLEMENTOR=\"" + vendor + "\"\nJAVA_RUNTIME_VERSION=\"" + build + "\"\nJAVA_VERSION=\"" + version
                        + ".0.1\"\n");
        return made;
    }

    private Process start(String program, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(home.resolve(program).toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", jdk.toString()));
        return builder.start();
    }

    private static Result result(Process process) throws IOException, InterruptedException {
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), out, err);
    }

    private void archive() throws Exception {
        assertThat(result(start("runtime/bin/enipam-archive"))).isEqualTo(new Result(0, "", ""));
    }

    private List<Path> archives() throws IOException {
        try (Stream<Path> files = Files.list(home.resolve("shell/target/archive"))) {
            return files.filter(file -> file.toString().endsWith(".jsa")).toList();
        }
    }

    private boolean startsWithAnArchive() throws Exception {
        Result shell = result(start("shell/bin/enipam", "pool", "show"));
        assertThat(shell.status()).isZero();
        assertThat(shell.err()).isEmpty();
        return shell.out().contains("-XX:SharedArchiveFile=");
    }

    private static void inThePast(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
    }

    @Test
    void anArchiveIsNamedAfterJarsAndJdkAndBothProgramsUseTheirs() throws Exception {
        archive();

        Path made = archives().get(0);
        assertThat(archives()).hasSize(1);
        assertThat(made.getFileName().toString()).matches("17\\.0\\.1\\+1-Some-[0-9a-f]{64}\\.jsa");
        assertThat(result(start("shell/bin/enipam", "status")).out())
                .contains("-XX:SharedArchiveFile=" + made + "\n", "-XX:+VerifySharedSpaces\n");
        assertThat(result(start("runtime/bin/enipamd")).out())
                .contains("-XX:SharedArchiveFile=" + home + "/runtime/daemon/target/archive/17.0.1+1-Some-");
    }

    @Test
    void noConstantIsResolvedThatWouldLinkClassesTooOldToBeDumpedThen() throws Exception {
        archive();

        assertThat(Files.readAllLines(archives().get(0)))
                .contains("Name", "picocli/CommandLine", "@cp io/grpc/Status 5")
                .noneMatch(line -> line.matches("@cp (picocli|io/enipam)/.*"));
    }

    @Test
    void theRelayIsItsOwnSmallProgramAndStartsWithoutOne() throws Exception {
        archive();

        assertThat(result(start("shell/bin/enipam", "relay", "--socket", "/run/x.sock"))
                        .out())
                .contains("io.enipam.shell.relay.RelayMain\n--socket\n/run/x.sock\n", "-Xmx16m\n")
                .doesNotContain("-XX:SharedArchiveFile=", "io.enipam.shell.ShellMain");
    }

    @Test
    void withoutOneEverythingStartsWithoutAWord() throws Exception {
        assertThat(startsWithAnArchive()).isFalse();
    }

    @Test
    void aJarThatWasBuiltAnewLeavesTheArchiveUnusedUntilTheNextOneWhichReplacesIt() throws Exception {
        archive();
        inThePast(home.resolve("shell/target/lib/b.jar"));
        assertThat(startsWithAnArchive()).isFalse();

        write("shell/target/lib/b.jar", "B");
        archive();

        assertThat(startsWithAnArchive()).isTrue();
        assertThat(archives()).hasSize(1);
    }

    @Test
    void aLibraryMoreLeavesTheArchiveUnused() throws Exception {
        archive();
        write("shell/target/lib/c.jar", "c");

        assertThat(startsWithAnArchive()).isFalse();
    }

    @Test
    void aTruncatedOrRewrittenArchiveIsNeverShownToAJvm() throws Exception {
        archive();
        Path made = archives().get(0);
        byte[] whole = Files.readAllBytes(made);
        Files.write(made, new byte[] {whole[0]});
        assertThat(startsWithAnArchive()).isFalse();
        Files.write(made, whole);
        inThePast(made);
        assertThat(startsWithAnArchive()).isFalse();
        Files.delete(made);
        assertThat(startsWithAnArchive()).isFalse();
    }

    @Test
    void anotherJdkHasNoArchiveUntilItMakesItsOwnAndBothKeepTheirs() throws Exception {
        archive();
        Path first = jdk;
        jdk = jdk("25", "25.0.3+9-LTS", "Other");
        assertThat(startsWithAnArchive()).isFalse();

        archive();

        assertThat(startsWithAnArchive()).isTrue();
        jdk = first;
        assertThat(startsWithAnArchive()).isTrue();
        assertThat(archives()).hasSize(2);
    }

    @Test
    void twoAtOnceMakeOneAndWhatFitsIsNotMadeAgain() throws Exception {
        Process one = start("runtime/bin/enipam-archive");
        Process two = start("runtime/bin/enipam-archive");
        assertThat(result(one)).isEqualTo(new Result(0, "", ""));
        assertThat(result(two)).isEqualTo(new Result(0, "", ""));
        archive();

        assertThat(Path.of(jdk + "/bin/java.log")).hasContent("watched");
        assertThat(startsWithAnArchive()).isTrue();
        try (Stream<Path> files = Files.list(home.resolve("shell/target/archive"))) {
            assertThat(files).hasSize(2);
        }
    }

    @Test
    void aReadOnlyInstallationUsesWhatItHas() throws Exception {
        archive();
        Path target = home.resolve("shell/target/archive");
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            assertThat(startsWithAnArchive()).isTrue();
        } finally {
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @Test
    void aBuildGoesOnWhenNoArchiveCanBeMade() throws Exception {
        Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\necho no room >&2; exit 1\n");

        Result result = result(start("runtime/bin/enipam-archive"));

        assertThat(result.status()).isZero();
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains("no class-data archive, and all works without it")
                .hasLineCount(1);
    }

    @Test
    void aModuleThatIsNotBuiltYetIsNoError() throws Exception {
        Files.delete(home.resolve("runtime/daemon/target/enipam-daemon-0.1.0.jar"));

        archive();

        assertThat(home.resolve("shell/target/archive")).doesNotExist();
    }
}

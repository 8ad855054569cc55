package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.shell.TestShell.Result;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
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
    @TempDir
    Path directory;

    private final Map<String, String> environment = new TreeMap<>();
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

    /** A launcher's archive is made by a process that outlives it. */
    @AfterEach
    void noneIsMadeAnyMore() {
        List<ProcessHandle> makers = ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(directory.toString()))
                .toList();
        makers.forEach(ProcessHandle::destroy);
        await().atMost(Duration.ofSeconds(60)).until(() -> makers.stream().noneMatch(ProcessHandle::isAlive));
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
                if [ -n "$dump" ]; then
                  echo dumped >>"$0.log"; [ ! -e "$0.fails" ] || exit 1
                  cat "$classes" >"$archive"; exit
                fi
                if [ -n "$lists" ]; then
                  [ ! -e "$0.reads" ] || cat >/dev/null
                  for list in shell daemon; do
                    printf '%s\\n' Name picocli/CommandLine '@cp io/grpc/Status 5' >"${lists%/*}/$list.classes"
                  done
                  echo watched >>"$0.log"; [ ! -e "$0.ends" ] || exit 1
                  exit
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
        builder.environment().putAll(environment);
        builder.environment().putAll(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", jdk.toString()));
        return builder.start();
    }

    private void archive() throws Exception {
        assertThat(Result.of(start("runtime/bin/enipam-archive"))).isEqualTo(new Result(0, "", ""));
    }

    private List<Path> archives() throws IOException {
        return archives(home.resolve("shell/target/archive"));
    }

    private static List<Path> archives(Path place) throws IOException {
        if (!Files.exists(place)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(place)) {
            return files.filter(file -> file.toString().endsWith(".jsa")).toList();
        }
    }

    /** What java was told to do of what takes long: to note which classes two programs load, and to write an archive. */
    private List<String> work() throws IOException {
        Path log = Path.of(jdk + "/bin/java.log");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    private void awaitAnArchive() {
        await().atMost(Duration.ofSeconds(60)).until(this::startsWithAnArchive);
    }

    private boolean startsWithAnArchive() throws Exception {
        Result shell = Result.of(start("shell/bin/enipam", "pool", "show"));
        assertThat(shell.status()).isZero();
        assertThat(shell.err()).isEmpty();
        return shell.out().contains("-XX:SharedArchiveFile=");
    }

    private static void inThePast(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
    }

    @Test
    void anArchiveIsNamedAfterItsJdkAndBothProgramsUseTheirs() throws Exception {
        archive();

        Path made = home.resolve("shell/target/archive/17.0.1+1-Some.jsa");
        assertThat(archives()).containsExactly(made);
        assertThat(Result.of(start("shell/bin/enipam", "status")).out())
                .contains("-XX:SharedArchiveFile=" + made + "\n");
        assertThat(Result.of(start("runtime/bin/enipamd")).out())
                .contains("-XX:SharedArchiveFile=" + home + "/runtime/daemon/target/archive/17.0.1+1-Some.jsa\n");
    }

    @Test
    void aCommandUsesAnArchiveOfWhatSingleCommandsLoadAndTheLineEditorThatOfAll() throws Exception {
        Path run = Files.createDirectories(directory.resolve("t/enipam-1/run"));
        Files.createDirectories(run.resolve("unpacked/w/attachments"));
        environment.put("TMPDIR", directory.resolve("t").toString());
        Files.createFile(jdk.resolve("bin/java.reads"));
        try (ServerSocketChannel daemon = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            daemon.bind(UnixDomainSocketAddress.of(run.resolve("enipam.sock")));
            archive();
        }

        String place = "-XX:SharedArchiveFile=" + home.resolve("shell/target/archive");
        for (List<String> words : List.of(
                List.of("status"),
                List.of("--socket", "s", "pool", "show"),
                List.of("--socket=s", "pool", "show", "-o", "json"))) {
            assertThat(Result.of(start("shell/bin/enipam", words.toArray(String[]::new)))
                            .out())
                    .contains(place + "/commands-17.0.1+1-Some.jsa\n");
        }
        for (List<String> words : List.of(List.<String>of(), List.of("--socket", "s"), List.of("--sandbox"))) {
            assertThat(Result.of(start("shell/bin/enipam", words.toArray(String[]::new)))
                            .out())
                    .contains(place + "/17.0.1+1-Some.jsa\n");
        }
        assertThat(Files.readAllLines(home.resolve("shell/target/archive/commands")))
                .as("the JDK that it is of, and each line once")
                .startsWith("# 17.0.1+1-Some")
                .doesNotHaveDuplicates();
        archive();
        assertThat(work())
                .filteredOn("dumped"::equals)
                .as("what fits is not made again")
                .hasSize(3);
    }

    @Test
    void theRelayIsItsOwnSmallProgramAndStartsWithoutOne() throws Exception {
        archive();

        assertThat(Result.of(start("shell/bin/enipam", "relay", "--socket", "/run/x.sock"))
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
        write("shell/target/lib/b.jar", "B");
        assertThat(startsWithAnArchive()).isFalse();

        archive();

        assertThat(startsWithAnArchive()).isTrue();
        assertThat(archives()).hasSize(1);
    }

    @Test
    void aBuildMakesTheArchiveAnewOfAJarThatIsAnotherAndOlderThanIt() throws Exception {
        archive();
        inThePast(home.resolve("shell/target/lib/b.jar"));

        archive();

        assertThat(work())
                .as("the daemon's still fits")
                .filteredOn("dumped"::equals)
                .hasSize(3);
    }

    @Test
    void aLibraryMoreLeavesTheArchiveUnusedHoweverOldItIs() throws Exception {
        archive();
        write("shell/target/lib/c.jar", "c");
        inThePast(home.resolve("shell/target/lib/c.jar"));

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
    void anotherJdkGetsItsArchiveAtItsFirstStartUsesItAtALaterOneAndBothKeepTheirs() throws Exception {
        archive();
        Path first = jdk;
        jdk = jdk("25", "25.0.3+9-LTS", "Other");
        assertThat(startsWithAnArchive()).isFalse();

        awaitAnArchive();

        assertThat(work()).as("of the classes that the build listed").containsExactly("dumped");
        jdk = first;
        assertThat(startsWithAnArchive()).isTrue();
        assertThat(archives()).hasSize(2);
    }

    @Test
    void ofManyStartsAtOnceOneMakesIt() throws Exception {
        archive();
        jdk = jdk("25", "25.0.3+9-LTS", "Other");
        List<Process> starts = new ArrayList<>();
        for (int start = 0; start < 8; start++) {
            starts.add(start("shell/bin/enipam", "status"));
        }
        for (Process start : starts) {
            assertThat(Result.of(start).err()).isEmpty();
        }

        awaitAnArchive();

        assertThat(work()).containsExactly("dumped");
    }

    @Test
    void whatCannotBeMadeIsNotTriedAtEveryStartAndHarmsNone() throws Exception {
        archive();
        jdk = jdk("25", "25.0.3+9-LTS", "Other");
        Files.createFile(jdk.resolve("bin/java.fails"));
        assertThat(startsWithAnArchive()).isFalse();
        await().atMost(Duration.ofSeconds(60)).until(() -> !work().isEmpty());
        noneIsMadeAnyMore();

        for (int start = 0; start < 3; start++) {
            assertThat(startsWithAnArchive()).isFalse();
        }
        // the try that a person asks for comes after all that these starts began
        Result asked = Result.of(start("runtime/bin/enipam-archive"));

        assertThat(asked.err()).contains("java could not write it").hasLineCount(1);
        assertThat(work()).containsExactly("dumped", "dumped");
        assertThat(archives()).hasSize(1);
    }

    @Test
    void noneIsMadeForAUserWhoWantsNone() throws Exception {
        archive();
        jdk = jdk("25", "25.0.3+9-LTS", "Other");
        environment.put("ENIPAM_NO_ARCHIVE", "1");
        assertThat(startsWithAnArchive()).isFalse();

        environment.clear();
        awaitAnArchive();

        assertThat(work()).containsExactly("dumped");
    }

    @Test
    void aCheckoutWhoseBuildListedNoClassesStartsWithoutOne() throws Exception {
        assertThat(startsWithAnArchive()).isFalse();

        assertThat(home.resolve("shell/target/archive")).doesNotExist();
    }

    /** As in an image: each jar is once in lib/, with a sum of them, and no directory of it is written to. */
    private Path installed(String sum) throws IOException {
        write("lib/shell.jars", "a.jar\n");
        write("lib/a.jar", "a");
        write("lib/shell.classes", "java/lang/Object\n");
        write("lib/shell.sum", sum + "\n");
        return directory.resolve("cache/enipam" + home + "/shell");
    }

    @Test
    void anInstalledCopySArchiveIsInTheUsersCacheAndReplacedByThatOfTheNextVersion() throws Exception {
        Path place = installed("01");
        environment.put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        assertThat(startsWithAnArchive()).isFalse();
        awaitAnArchive();
        assertThat(archives(place)).containsExactly(place.resolve("17.0.1+1-Some-01.jsa"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("cache/enipam"))))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(place.resolve("17.0.1+1-Some-01.jsa"))))
                .isEqualTo("rw-------");

        installed("02");
        assertThat(startsWithAnArchive()).isFalse();
        awaitAnArchive();

        assertThat(archives(place)).containsExactly(place.resolve("17.0.1+1-Some-02.jsa"));
        assertThat(home.resolve("shell/target/archive")).doesNotExist();
    }

    @Test
    void theCacheIsBelowTheHomeOfAUserWhoNamesNoOther() throws Exception {
        installed("01");
        environment.put("HOME", directory.toString());
        environment.put("XDG_CACHE_HOME", "not/absolute");

        awaitAnArchive();

        assertThat(archives(directory.resolve(".cache/enipam" + home + "/shell")))
                .hasSize(1);
    }

    @Test
    void aCacheThatAnotherUserCouldFillIsNeitherReadNorWritten() throws Exception {
        Path place = installed("01");
        environment.put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        awaitAnArchive();
        Path elsewhere = Files.move(directory.resolve("cache/enipam"), directory.resolve("elsewhere"));

        Files.createSymbolicLink(directory.resolve("cache/enipam"), elsewhere);
        assertThat(startsWithAnArchive()).isFalse();
        Files.delete(directory.resolve("cache/enipam"));
        Files.move(elsewhere, directory.resolve("cache/enipam"));
        assertThat(startsWithAnArchive()).isTrue();

        assumeTrue("root".equals(System.getProperty("user.name")), "only root gives a directory away");
        UserPrincipal other =
                directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
        Files.setOwner(directory.resolve("cache/enipam"), other);
        assertThat(startsWithAnArchive()).isFalse();
        Files.setOwner(directory.resolve("cache/enipam"), Files.getOwner(directory));
        Files.setOwner(directory.resolve("cache"), other);
        assertThat(startsWithAnArchive()).isFalse();
        assertThat(archives(place)).hasSize(1);
        assertThat(work()).containsExactly("dumped");
    }

    @Test
    void aUserWithoutADirectoryForOneStartsWithoutOne() throws Exception {
        installed("01");
        assertThat(startsWithAnArchive()).isFalse();

        environment.put("XDG_CACHE_HOME", "/proc/no/such");
        assertThat(startsWithAnArchive()).isFalse();
        environment.put("HOME", "/proc/1");
        environment.remove("XDG_CACHE_HOME");
        assertThat(startsWithAnArchive()).isFalse();
    }

    @Test
    void twoAtOnceMakeOneAndWhatFitsIsNotMadeAgain() throws Exception {
        Process one = start("runtime/bin/enipam-archive");
        Process two = start("runtime/bin/enipam-archive");
        assertThat(Result.of(one)).isEqualTo(new Result(0, "", ""));
        assertThat(Result.of(two)).isEqualTo(new Result(0, "", ""));
        archive();

        assertThat(work()).containsExactly("watched", "dumped", "dumped");
        assertThat(startsWithAnArchive()).isTrue();
        assertThat(archives()).hasSize(1);
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

        Result result = Result.of(start("runtime/bin/enipam-archive"));

        assertThat(result.status()).isZero();
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains("no class-data archive, and all works without it")
                .hasLineCount(1);
    }

    @Test
    void aListThatASandboxEndedBeforeItsEndIsNotUsedAndTheNextBuildMakesAnother() throws Exception {
        Path ends = Files.writeString(jdk.resolve("bin/java.ends"), "");

        Result cut = Result.of(start("runtime/bin/enipam-archive"));

        assertThat(cut.status()).isZero();
        assertThat(cut.err()).contains("the sandbox did not run to its end").hasLineCount(1);
        assertThat(work()).containsExactly("watched", "watched");
        assertThat(archives()).isEmpty();
        Files.delete(ends);
        archive();
        assertThat(archives()).hasSize(1);
    }

    @Test
    void aModuleThatIsNotBuiltYetIsNoError() throws Exception {
        Files.delete(home.resolve("runtime/daemon/target/enipam-daemon-0.1.0.jar"));

        archive();

        assertThat(home.resolve("shell/target/archive")).doesNotExist();
    }
}

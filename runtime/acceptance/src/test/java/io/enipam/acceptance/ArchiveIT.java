package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs as this build made them have their class-data archives in memory, and copies of them make their own. */
class ArchiveIT {
    @TempDir
    Path scratch;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void nothingRunsAnyMore() {
        started.forEach(Process::destroyForcibly);
    }

    @BeforeEach
    void aBuildWithArchives() {
        assumeFalse("true".equals(System.getProperty("exec.skip")), "this build was told to make no archives");
    }

    @Test
    void theShellRunsFromItsArchive() {
        Process shell = new ProgramRunner(scratch).start(ProgramRunner.shell());
        try {
            assertUses(shell, "shell/target/archive/");
        } finally {
            shell.destroyForcibly();
        }
    }

    @Test
    void theDaemonRunsFromItsArchive() throws Exception {
        Path log = scratch.resolve("enipamd.log");
        Process daemon = new ProgramRunner(scratch)
                .startLogged(
                        log,
                        ProgramRunner.daemon(),
                        "--root",
                        scratch.resolve("root").toString(),
                        "--emulate",
                        "--ephemeral");
        try {
            assertUses(daemon, "runtime/daemon/target/archive/");
        } finally {
            daemon.getOutputStream().close();
            daemon.waitFor();
        }
        assertThat(Files.readString(log)).doesNotContain("[cds]", "shared class", "archive");
    }

    /** A node's daemon reads a file of settings, and the sandbox from which the list is made connects no pods in the kernel. */
    @Test
    void theDaemonsArchiveHoldsWhatReadsSettingsAndWhatConnectsPods() throws IOException {
        // later JDKs write more behind a name
        assertThat(Files.readAllLines(Project.root().resolve("runtime/daemon/target/archive/classes")))
                .map(line -> line.split(" ", 2)[0])
                .contains("org/yaml/snakeyaml/parser/ParserImpl", "com/fasterxml/jackson/dataformat/yaml/YAMLParser")
                .contains("io/enipam/datapath/link/VethPair", "io/enipam/datapath/netlink/Frames")
                .contains("io/enipam/datapath/record/AttachmentRecord");
    }

    /**
     * A copy as in an image, for a JDK that made no archive of it. The jars are copies, whose times can be changed; the
     * launcher does not compare these, and the JVM does.
     */
    @Test
    void anInstalledCopyGetsItsArchiveAtItsFirstStartAndTheJvmLeavesItUnusedWhenAJarIsAnother() throws Exception {
        Path home = installed();
        assertThat(archiveInMemoryOf(home)).isEmpty();
        Path cache = scratch.resolve("cache/enipam" + home + "/shell");
        Awaitility.await("an archive in " + cache)
                .atMost(Duration.ofMinutes(5))
                .until(() -> filesOf(cache).anyMatch(file -> file.toString().endsWith(".stamp")));

        assertThat(archiveInMemoryOf(home)).isNotEmpty();

        Path jar = filesOf(home.resolve("lib"))
                .filter(file -> file.toString().contains("picocli-4"))
                .findFirst()
                .orElseThrow();
        Files.setLastModifiedTime(jar, FileTime.from(Instant.parse("2026-01-01T00:00:00Z")));
        assertThat(archiveInMemoryOf(home)).isEmpty();
    }

    private Path installed() throws IOException {
        Path target = Project.root().resolve("shell/target");
        Path home = scratch.resolve("installed");
        Path lib = Files.createDirectories(home.resolve("lib"));
        List<String> names = new ArrayList<>();
        for (Path from : List.of(target, target.resolve("lib"))) {
            for (Path jar : filesOf(from)
                    .filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList()) {
                names.add(jar.getFileName().toString());
                Files.copy(jar, lib.resolve(jar.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        Files.write(lib.resolve("shell.jars"), names);
        Files.write(lib.resolve("daemon.jars"), names);
        Files.writeString(lib.resolve("shell.sum"), "0123\n");
        Files.copy(target.resolve("archive/classes"), lib.resolve("shell.classes"));
        for (String program : List.of("shell/bin/enipam", "runtime/bin/launch.sh", "runtime/bin/enipam-archive")) {
            Files.createDirectories(home.resolve(program).getParent());
            Files.copy(Project.root().resolve(program), home.resolve(program), StandardCopyOption.COPY_ATTRIBUTES);
        }
        return home;
    }

    /** What a shell that has answered has in its memory of archives in the user's cache. */
    private List<String> archiveInMemoryOf(Path home) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(home.resolve("shell/bin/enipam").toString());
        builder.environment().putAll(new ProgramRunner(scratch).environment());
        builder.environment().put("XDG_CACHE_HOME", scratch.resolve("cache").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process shell = builder.redirectErrorStream(true).start();
        started.add(shell);
        shell.outputWriter().append("help\n").flush();
        assertThat(shell.inputReader().readLine()).isNotNull().doesNotContain("cds", "archive");
        return maps(shell)
                .filter(line -> line.contains(scratch.resolve("cache").toString()))
                .toList();
    }

    private static Stream<Path> filesOf(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return Stream.empty();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).toList().stream();
        }
    }

    @Test
    void theReferenceLiesBesideIt() {
        Path target = Project.root().resolve("shell/target");

        assertThat(target.resolve("man/man1/enipam.1")).isNotEmptyFile();
        assertThat(target.resolve("man/man1/enipam-pool-show.1")).isNotEmptyFile();
        assertThat(target.resolve("completion/enipam.bash")).isNotEmptyFile();
        assertThat(target.resolve("completion/_enipam")).isNotEmptyFile();
    }

    /** A signed jar's classes are in no archive, and the first of them costs a start the check of the whole jar. */
    @Test
    void noJarOfTheDaemonIsSigned() throws Exception {
        List<Path> jars = filesOf(Project.root().resolve("runtime/daemon/target/lib"))
                .filter(file -> file.toString().endsWith(".jar"))
                .toList();
        assertThat(jars).isNotEmpty();
        for (Path jar : jars) {
            try (JarFile file = new JarFile(jar.toFile())) {
                assertThat(file.stream().map(JarEntry::getName))
                        .as("%s", jar)
                        .noneMatch(name -> name.matches("META-INF/[^/]+\\.(SF|RSA|DSA|EC)"));
            }
        }
    }

    private static void assertUses(Process process, String archives) {
        String directory = Project.root().resolve(archives).toString();
        Awaitility.await("a mapping of a file in " + directory)
                .atMost(Duration.ofSeconds(60))
                .until(() -> !process.isAlive() || maps(process).anyMatch(line -> line.contains(directory)));
        assertThat(process.isAlive()).isTrue();
    }

    private static Stream<String> maps(Process process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/maps")).lines();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }
}

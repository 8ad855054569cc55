package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sdk/bin/new-plugin}: from nothing to a plugin in force, in three commands and without a network. */
class ArchetypeIT {
    private static final String NAME = "busy-hours";

    @TempDir
    Path scratch;

    @TempDir
    Path workplace;

    private Programs programs;
    private Map<String, String> environment;

    @BeforeEach
    void prepare() {
        Optional<Path> maven = Optional.ofNullable(System.getProperty("enipam.maven.home"))
                .map(home -> Path.of(home, "bin"))
                .filter(bin -> Files.isExecutable(bin.resolve("mvn")));
        assumeThat(maven)
                .as("enipam.maven.home names a Maven; the project's own build sees to that")
                .isPresent();
        programs = new Programs(scratch);
        environment = Map.of("PATH", maven.orElseThrow() + File.pathSeparator + System.getenv("PATH"));
    }

    @AfterEach
    void nothingIsLeftBehind() {
        if (programs != null) {
            assertThat(programs.leftProcesses()).isEmpty();
            assertThat(programs.leftFiles()).isEmpty();
        }
    }

    @Test
    void aNewPluginIsGreenFromTheFirstMinuteAndASandboxTakesIt() throws IOException {
        Path project = generated();

        Programs.Result build = maven(project, "verify");

        assertThat(build.status()).as(build.toString()).isZero();
        assertThat(build.out()).doesNotContain("WARNING");
        assertThat(testsRunIn(project)).isPositive();
        JsonNode plugins = pluginsAfter("plugin list -o json", project);
        assertThat(plugins.path("state").asText()).isEqualTo("LOADED");
        JsonNode swapped = pluginsAfter("plugin swap policy " + NAME + "; plugin list -o json", project);
        assertThat(swapped.path("state").asText()).isEqualTo("ACTIVE");
        assertThat(swapped.path("policies").path(0).path("state").asText()).isEqualTo("ACTIVE");
    }

    @Test
    void aPolicyThatIsBrokenTurnsTheNewProjectRed() throws IOException {
        Path project = generated();
        Path policy = project.resolve("src/main/java/com/example/busyhours/HeadroomPolicy.java");
        String text = Files.readString(policy);
        Files.writeString(policy, text.replace("percent + 99", "percent"));
        assertThat(policy).content().isNotEqualTo(text);

        Programs.Result build = maven(project, "verify");

        assertThat(build.status()).isNotZero();
        assertThat(build.out()).contains("aBusyNodeKeepsItsShareIdle");
    }

    @Test
    void whatComesFromTheSdkIsThisCheckoutsAndNotACopyInTheUsersRepository() throws IOException {
        Path project = generated();
        Path repository = Project.root().resolve("sdk/archetype/target/repository");
        Path lent = repository.resolve("io/enipam/enipam-sdk-api");

        assertThat(project.resolve(".mvn/maven.config")).content().contains("-Dmaven.repo.local=" + repository);
        try (Stream<Path> files = Files.walk(lent)) {
            Path jar = files.filter(file -> file.toString().endsWith(".jar"))
                    .findFirst()
                    .orElseThrow();
            assertThat(jar)
                    .hasSameBinaryContentAs(
                            Project.root().resolve("sdk/api/target").resolve(jar.getFileName()));
        }
    }

    @Test
    void aNameThatNoPluginMayHaveIsRefusedBeforeAnythingIsWritten() {
        Programs.Result result = newPlugin("Busy_Hours", workplace.toString());

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).hasLineCount(1).contains("Busy_Hours");
        assertThat(workplace).isEmptyDirectory();
    }

    @Test
    void aDirectoryThatExistsIsLeftAlone() throws IOException {
        Path mine = Files.createDirectory(workplace.resolve(NAME));

        Programs.Result result = newPlugin(NAME, workplace.toString());

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).hasLineCount(1).contains("exists already");
        assertThat(mine).isEmptyDirectory();
    }

    private Path generated() throws IOException {
        Programs.Result result = newPlugin(NAME, workplace.toString(), "-o");
        assertThat(result.status()).as(result.toString()).isZero();
        Path project = workplace.resolve(NAME);
        assertThat(project.resolve(".gitignore")).exists();
        try (Stream<Path> files = Files.walk(project)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(file).content().doesNotContain("${package}", "${artifactId}", "${checkout}", "@project");
            }
        }
        return project;
    }

    private Programs.Result newPlugin(String... arguments) {
        return programs.runIn(workplace, environment, Project.root().resolve("sdk/bin/new-plugin"), arguments);
    }

    private Programs.Result maven(Path project, String goal) {
        return programs.runIn(project, environment, Path.of("mvn"), "-o", "-B", goal);
    }

    private JsonNode pluginsAfter(String commands, Path project) throws IOException {
        Path plugin = project.resolve("target/plugin");
        try (JarFile jar = new JarFile(plugin.resolve(NAME + ".jar").toFile())) {
            assertThat(jar.getManifest().getMainAttributes().getValue("Plugin-Id"))
                    .isEqualTo(NAME);
        }
        Programs.Result result = programs.enipam("--sandbox", "--plugin", plugin.toString(), "-c", commands);
        assertThat(result.status()).as(result.toString()).isZero();
        JsonNode listed = new ObjectMapper()
                .readTree(result.out().substring(result.out().indexOf("{\n")))
                .path("plugins");
        for (JsonNode one : listed) {
            if (one.path("id").asText().equals(NAME)) {
                return one;
            }
        }
        throw new AssertionError(NAME + " is not listed: " + result.out());
    }

    private static int testsRunIn(Path project) throws IOException {
        int tests = 0;
        try (Stream<Path> reports = Files.list(project.resolve("target/surefire-reports"))) {
            for (Path report :
                    reports.filter(file -> file.toString().endsWith(".xml")).toList()) {
                tests += Files.readString(report).split("<testcase ", -1).length - 1;
            }
        }
        return tests;
    }
}

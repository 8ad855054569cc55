package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code sdk/bin/new-plugin}: from nothing to a plugin in force, in three commands and without a network. */
class ArchetypeIT {
    private static final String NAME = "busy-hours";

    @TempDir
    Path scratch;

    @TempDir
    Path workplace;

    private Path maven;
    private ProgramRunner programs;
    private Map<String, String> environment;

    @BeforeEach
    void prepare() {
        Optional<Path> found = Optional.ofNullable(System.getProperty("enipam.maven.home"))
                .map(home -> Path.of(home, "bin", "mvn"))
                .filter(Files::isExecutable);
        assumeThat(found)
                .as("enipam.maven.home names a Maven; the project's own build sees to that")
                .isPresent();
        maven = found.orElseThrow();
        programs = new ProgramRunner(scratch);
        environment = Map.of(
                "PATH",
                maven.getParent() + File.pathSeparator + System.getenv("PATH"),
                // a Maven that runs for seconds takes a third less of the processor so
                "MAVEN_OPTS",
                "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
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
        Map<Path, FileTime> before = jarsOfOursInTheUsersRepository();
        Path project = generated();

        ProgramRunner.Result build = maven(project, "verify");

        assertThat(build.status()).as(build.toString()).isZero();
        assertThat(build.out()).doesNotContain("WARNING");
        assertThat(testsOf("BusyHoursPolicyTest", project)).isPositive();
        assertThat(testsOf("BusyHoursPolicyContractTest", project))
                .isGreaterThanOrEqualTo(rulesOf("PoolPolicyContract"));
        assertThat(testsOf("BusyHoursDayTest", project)).as("claims on a day").isGreaterThanOrEqualTo(6);
        assertThat(sdkItWasBuiltWith()).hasSameBinaryContentAs(sdkOfThisCheckout());
        assertThat(jarsOfOursInTheUsersRepository()).isEqualTo(before);
        ProgramRunner.Result sandbox = programs.enipam(
                "--sandbox",
                "--plugin",
                project.resolve("target/plugin").toString(),
                "-c",
                "plugin list -o json; plugin swap policy " + NAME + " -o json; plugin list -o json; plugin run " + NAME
                        + " headroom");
        assertThat(sandbox.status()).as(sandbox.toString()).isZero();
        List<JsonNode> listed = listed(sandbox.out());
        assertThat(listed).extracting(plugin -> plugin.path("state").asText()).containsExactly("LOADED", "ACTIVE");
        assertThat(listed.get(1).path("policies").path(0).path("state").asText())
                .isEqualTo("ACTIVE");
        assertThat(sandbox.out()).contains("KEEP FROM");
    }

    @ParameterizedTest
    @CsvSource({
        "factory,    ResourceFactoryContract, BusyHoursFactoryContractTest,    factories",
        "allocator,  AllocatorContract,       BusyHoursAllocatorContractTest,  extensions",
        "controller, ControllerContract,      BusyHoursControllerContractTest, extensions"
    })
    void eachOtherKindKeepsItsContractToo(String kind, String contract, String test, String parts) throws IOException {
        Path project = generated("--kind", kind);
        try (Stream<Path> files = Files.walk(project)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .noneMatch(name -> name.contains("Policy")
                            || name.toLowerCase(Locale.ROOT).contains("day"));
            assertThat(project.resolve("pom.xml")).content().doesNotContain("enipam-lab", "enipam-parent");
        }

        ProgramRunner.Result build = maven(project, "verify");

        assertThat(build.status()).as(build.toString()).isZero();
        // surefire warns of rules that a contract skips, since they do not concern this implementation
        assertThat(build.out()).doesNotContainPattern("WARNING(?!\\] Tests run)");
        assertThat(testsOf(test, project)).isGreaterThanOrEqualTo(rulesOf(contract));
        Path config = Files.writeString(
                workplace.resolve("demo.yaml"),
                "plugins: {busy-hours: {addresses: [10.77.0.2/24, 10.77.0.3/24]}}\n"
                                .repeat(kind.equals("controller") ? 0 : 1)
                        + "extensions: [busy-hours]\n".repeat(parts.equals("extensions") ? 1 : 0));
        ProgramRunner.Result sandbox = programs.enipam(
                "--sandbox",
                "--config",
                config.toString(),
                "--plugin",
                project.resolve("target/plugin").toString(),
                "-c",
                "plugin list -o json");
        assertThat(sandbox.status()).as(sandbox.toString()).isZero();
        assertThat(listed(sandbox.out())).singleElement().satisfies(plugin -> {
            assertThat(plugin.path("state").asText()).isNotEqualTo("FAILED");
            assertThat(plugin.path(parts)).as(plugin.toString()).hasSize(1);
        });
    }

    @Test
    void aKindThatThereIsNotIsRefusedBeforeAnythingIsWritten() {
        ProgramRunner.Result result = newPlugin("--kind", "voter", NAME, workplace.toString());

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).hasLineCount(1).contains("'voter' is no kind of plugin");
        assertThat(workplace).isEmptyDirectory();
    }

    @Test
    void aPolicyThatIsBrokenTurnsTheNewProjectRed() throws IOException {
        Path project = generated();
        Path policy = project.resolve("src/main/java/com/example/busyhours/BusyHoursPolicy.java");
        String text = Files.readString(policy);
        Files.writeString(policy, text.replace("percent + 99", "percent"));
        assertThat(policy).content().isNotEqualTo(text);

        ProgramRunner.Result build = maven(project, "-Dtest=BusyHoursPolicyTest", "verify");

        assertThat(build.status()).isNotZero();
        assertThat(build.out()).contains("aBusyNodeKeepsItsShareIdle");
    }

    @Test
    void aNameThatNoPluginMayHaveIsRefusedBeforeAnythingIsWritten() {
        ProgramRunner.Result result = newPlugin("Busy_Hours", workplace.toString());

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).hasLineCount(1).contains("Busy_Hours");
        assertThat(workplace).isEmptyDirectory();
    }

    @Test
    void aDirectoryThatExistsIsLeftAlone() throws IOException {
        Path mine = Files.createDirectory(workplace.resolve(NAME));

        ProgramRunner.Result result = newPlugin(NAME, workplace.toString());

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).hasLineCount(1).contains("exists already");
        assertThat(mine).isEmptyDirectory();
    }

    private Path generated(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(List.of(NAME, workplace.toString(), "-o"));
        ProgramRunner.Result result = newPlugin(arguments.toArray(String[]::new));
        assertThat(result.status()).as(result.toString()).isZero();
        Path project = workplace.resolve(NAME);
        assertThat(project.resolve(".gitignore")).exists();
        try (Stream<Path> files = Files.walk(project)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(file)
                        .content()
                        .doesNotContain(
                                "${package}",
                                "${artifactId}",
                                "${className}",
                                "${checkout}",
                                "@project",
                                "#if(",
                                "#end");
            }
        }
        return project;
    }

    private ProgramRunner.Result newPlugin(String... arguments) {
        return programs.runIn(workplace, environment, Project.root().resolve("sdk/bin/new-plugin"), arguments);
    }

    private ProgramRunner.Result maven(Path project, String... arguments) {
        List<String> all = new ArrayList<>(List.of("-o", "-B"));
        all.addAll(List.of(arguments));
        return programs.runIn(project, environment, maven, all.toArray(String[]::new));
    }

    /** The plugin as each {@code plugin list -o json} among the printed documents has it. */
    private static List<JsonNode> listed(String out) throws IOException {
        List<JsonNode> found = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                new ObjectMapper().readerFor(JsonNode.class).readValues(out.substring(0, out.lastIndexOf("\n}") + 2))) {
            while (documents.hasNext()) {
                for (JsonNode plugin : documents.next().path("plugins")) {
                    if (plugin.path("id").asText().equals(NAME)) {
                        found.add(plugin);
                    }
                }
            }
        }
        return found;
    }

    private static Path sdkItWasBuiltWith() throws IOException {
        return theJarBelow(Project.root().resolve("sdk/archetype/target/repository/io/enipam/enipam-sdk-api"));
    }

    private static Path sdkOfThisCheckout() throws IOException {
        return theJarBelow(Project.root().resolve("sdk/api/target"));
    }

    private static Path theJarBelow(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.getFileName().toString().matches("enipam-sdk-api-[0-9.]+\\.jar"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Map<Path, FileTime> jarsOfOursInTheUsersRepository() throws IOException {
        Path ours = Path.of(System.getProperty("enipam.maven.repository")).resolve("io/enipam");
        Map<Path, FileTime> jars = new TreeMap<>();
        if (Files.exists(ours)) {
            try (Stream<Path> files = Files.walk(ours)) {
                for (Path jar :
                        files.filter(file -> file.toString().endsWith(".jar")).toList()) {
                    jars.put(jar, Files.getLastModifiedTime(jar));
                }
            }
        }
        return jars;
    }

    private static int testsOf(String test, Path project) throws IOException {
        Path report = project.resolve("target/surefire-reports/TEST-com.example.busyhours." + test + ".xml");
        return Files.exists(report) ? occurrences("<testcase ", report) : 0;
    }

    private static int rulesOf(String contract) throws IOException {
        return occurrences(
                "    @Test\n",
                Project.root().resolve("sdk/testkit/src/main/java/io/enipam/sdk/testkit/" + contract + ".java"));
    }

    private static int occurrences(String text, Path file) throws IOException {
        return Files.readString(file).split(Pattern.quote(text), -1).length - 1;
    }
}

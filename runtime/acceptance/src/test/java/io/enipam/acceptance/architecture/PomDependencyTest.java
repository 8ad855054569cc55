package io.enipam.acceptance.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.acceptance.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of which module depends on which, the pinned versions, and the layout of the tree. */
class PomDependencyTest {
    private static final Pattern DEPENDENCY = Pattern.compile(
            "<dependency>\\s*<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>(.*?)</dependency>",
            Pattern.DOTALL);
    private static final Pattern MANAGED =
            Pattern.compile("<dependencyManagement>.*</dependencyManagement>", Pattern.DOTALL);

    /** The POM of generated plugins: a template, not a module. */
    private static final String TEMPLATE = "sdk/archetype/src/main/resources/archetype-resources/pom.xml";

    @ParameterizedTest(name = "{0} may depend on {1}")
    @CsvSource({
        "sdk/api,''",
        "sdk/cloud,enipam-sdk-api",
        "sdk/cluster,enipam-sdk-api",
        "sdk/ranges,enipam-sdk-api",
        "sdk/testkit,enipam-sdk-api enipam-sdk-cluster",
        "sdk/archetype,''",
        "runtime/protocol,''",
        "runtime/engine,enipam-sdk-api",
        "runtime/store,enipam-engine",
        "runtime/etcd,enipam-engine",
        "runtime/emulator,''",
        "runtime/aliyun,enipam-engine enipam-sdk-cloud",
        "runtime/kubernetes,enipam-engine enipam-protocol enipam-sdk-cluster enipam-sdk-ranges",
        "runtime/datapath,enipam-engine",
        "runtime/cni,''",
        // reads the emulator's options for a sandbox
        "runtime/platform,enipam-engine enipam-protocol enipam-aliyun enipam-kubernetes enipam-emulator",
        "runtime/node,enipam-platform enipam-datapath",
        "runtime/plugin-host,enipam-platform",
        "runtime/lab,enipam-plugin-host",
        "runtime/observability,enipam-node enipam-plugin-host enipam-store",
        "runtime/diagnostics,enipam-observability",
        "runtime/recovery,enipam-diagnostics",
        "runtime/frontends,enipam-diagnostics enipam-recovery enipam-protocol enipam-cni",
        // the lab is a program of its own, which runs from the daemon's class path
        "runtime/daemon,enipam-frontends enipam-store enipam-etcd enipam-lab",
        "shell,enipam-protocol",
        // packs files into an image; it uses no class of another module
        "runtime/deploy,''",
        // runs the API server of the tests in a process of its own
        "runtime/cluster-sandbox,enipam-kubernetes",
        // measures the daemon's plugin guard, and starts an etcd and has an API server in memory as the tests do
        "runtime/bench,enipam-engine enipam-daemon enipam-etcd enipam-sdk-testkit",
        "plugins-examples/cidr-factory,enipam-sdk-api enipam-sdk-ranges",
        "plugins-examples/resilient-factory,enipam-sdk-api",
        "plugins-examples/warm-target-policy,enipam-sdk-api",
        "plugins-examples/eni-packing-policy,enipam-sdk-api",
        "plugins-examples/churn-adaptive-policy,enipam-sdk-api",
        "plugins-examples/namespace-quota,enipam-sdk-api",
        "plugins-examples/prefix-factory,enipam-sdk-api enipam-sdk-cloud",
        "plugins-examples/trunk-members,enipam-sdk-api enipam-sdk-cloud",
        "plugins-examples/host-local,enipam-sdk-api enipam-sdk-ranges",
        "plugins-examples/swarm,enipam-sdk-api enipam-sdk-ranges",
        "plugins-examples/node-ipam,enipam-sdk-api enipam-sdk-cluster enipam-sdk-cloud enipam-sdk-ranges"
    })
    void aModuleDependsOnTheseModulesAlone(String module, String allowed) throws IOException {
        Set<String> ours = new TreeSet<>();
        Set<String> permitted = allowed.isEmpty() ? Set.of() : Set.of(allowed.split(" "));
        for (String[] dependency : dependencies(module)) {
            if (dependency[0].equals("io.enipam") && !dependency[2].contains("<scope>test</scope>")) {
                ours.add(dependency[1]);
            }
        }
        assertThat(ours).isEqualTo(new TreeSet<>(permitted));
    }

    @ParameterizedTest(name = "{0} has no dependency of another project")
    @CsvSource({"sdk/api", "sdk/cloud", "sdk/cluster", "sdk/ranges", "runtime/engine"})
    void theSdkAndTheEngineHaveNoThirdPartyDependency(String module) throws IOException {
        assertThat(dependencies(module))
                .filteredOn(dependency -> !dependency[2].contains("<scope>test</scope>"))
                .extracting(dependency -> dependency[0])
                .isSubsetOf("io.enipam");
    }

    @Test
    void noProgramThatUsesNoEtcdHasItsClientOnTheClassPath() throws IOException {
        for (Path pom : poms()) {
            String module = Project.root().relativize(pom.getParent()).toString();
            if (!Set.of("", "runtime/etcd", "runtime/daemon", "runtime/bench").contains(module)) {
                assertThat(dependencies(module))
                        .as(module)
                        .filteredOn(dependency -> !dependency[2].contains("<scope>test</scope>"))
                        .extracting(dependency -> dependency[1])
                        .doesNotContain("enipam-etcd", "jetcd-grpc", "jetcd-core");
            }
        }
    }

    @Test
    void versionsArePinnedInTheParentAlone() throws IOException {
        for (Path pom : poms()) {
            if (!pom.getParent().equals(Project.root())) {
                String text = Files.readString(pom);
                for (Matcher found = DEPENDENCY.matcher(text); found.find(); ) {
                    assertThat(found.group(3)).as("%s: %s", pom, found.group(2)).doesNotContain("<version>");
                }
            }
        }
    }

    @Test
    void aGeneratedProjectTakesItsVersionsFromTheParent() throws IOException {
        String template = Files.readString(Project.root().resolve(TEMPLATE));
        Matcher versions = Pattern.compile("<([a-z0-9.-]*version)>([^<]+)</").matcher(template);
        Set<String> written = new TreeSet<>();
        while (versions.find()) {
            written.add(versions.group(2));
        }
        assertThat(written)
                .contains("@project.version@", "@junit.version@")
                .allMatch(version -> version.matches("@[a-z.-]+version@|\\$\\{([a-z.-]+\\.)?version}"));
    }

    @Test
    void noVersionIsARangeOrASnapshot() throws IOException {
        String parent = Files.readString(Project.root().resolve("pom.xml"));
        Matcher versions = Pattern.compile("<[a-z0-9.-]*version>([^<]+)</[a-z0-9.-]*version>")
                .matcher(parent);
        while (versions.find()) {
            if (!versions.group(1).equals("[3.8.7,)") && !versions.group(1).equals("[17,)")) {
                assertThat(versions.group(1)).doesNotContain("[", "(", "SNAPSHOT", "LATEST", "RELEASE");
            }
        }
    }

    @Test
    void theRootDirectoryHoldsTheModulesAlone() throws IOException {
        try (Stream<Path> files = Files.list(Project.root())) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> !name.startsWith(".") && !name.equals("target")))
                    .isSubsetOf(
                            "pom.xml",
                            "sdk",
                            "runtime",
                            "shell",
                            "plugins-examples",
                            "README.md",
                            "LICENSE",
                            "mvnw",
                            "mvnw.cmd");
        }
    }

    @Test
    void everyPackageIsDocumentedAndNullMarked() throws IOException {
        try (Stream<Path> files = Files.walk(Project.root())) {
            Set<Path> packages = new TreeSet<>();
            files.filter(file ->
                            file.toString().endsWith(".java") && file.toString().contains("/src/main/java/"))
                    .forEach(file -> packages.add(file.getParent()));
            assertThat(packages)
                    .isNotEmpty()
                    .allSatisfy(directory -> assertThat(directory.resolve("package-info.java"))
                            .exists()
                            .content()
                            .contains("@NullMarked")
                            .containsPattern("(?s)/\\*\\*.*\\*/"));
        }
    }

    private static java.util.List<String[]> dependencies(String module) throws IOException {
        String pom = MANAGED.matcher(
                        Files.readString(Project.root().resolve(module).resolve("pom.xml")))
                .replaceAll("");
        return DEPENDENCY
                .matcher(pom)
                .results()
                .map(found -> new String[] {found.group(1), found.group(2), found.group(3)})
                .toList();
    }

    static Set<Path> poms() throws IOException {
        try (Stream<Path> files = Files.walk(Project.root())) {
            Set<Path> poms = new TreeSet<>();
            files.filter(file -> file.endsWith("pom.xml")
                            && !file.toString().contains("/target/")
                            && !file.endsWith(TEMPLATE))
                    .forEach(poms::add);
            return poms;
        }
    }
}

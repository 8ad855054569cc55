package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.enipam.pluginhost.load.LoadedPlugin.PluginManifest;
import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.pluginhost.load.PluginCatalog.RejectedPlugin;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.sdk.Setting;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a plugin brings, and which of two plugins has its way. */
class PluginCatalogTest {
    private static final String FACTORY = """
            static ResourceFactoryProvider factory(String name) {
                return new ResourceFactoryProvider() {
                    public String name() { return name; }
                    public ResourceFactory open(PluginContext context) { throw new UnsupportedOperationException(name); }
                };
            }
            static PoolPolicyProvider policy(String name) {
                return new PoolPolicyProvider() {
                    public String name() { return name; }
                    public PoolPolicy open(PluginContext context) { throw new UnsupportedOperationException(name); }
                };
            }
            """;

    @TempDir
    Path temporary;

    private Path installed;

    @AutoClose
    private PluginInstallation daemon;

    @BeforeEach
    void directory() throws Exception {
        installed = Files.createDirectory(temporary.resolve("plugins"));
        daemon = new PluginInstallation(installed);
    }

    @Test
    void whatAPluginBringsIsAskedOnceAndKept() {
        PluginJar.of("full").plugin(FACTORY + """
                static int asked;
                public List<Setting<?>> settings() {
                    return List.of(Setting.wholeNumber("warm", 0, 10, 5), Setting.flag("aloud", true));
                }
                public List<ResourceFactoryProvider> resourceFactories() {
                    return List.of(new ResourceFactoryProvider() {
                        public String name() { return "ranges-" + ++asked; }
                        public ResourceFactory open(PluginContext context) { return null; }
                    });
                }
                public List<PoolPolicyProvider> poolPolicies() { return List.of(policy("warm-target")); }
                public List<Diagnostic> diagnostics() {
                    return List.of(new Diagnostic() {
                        public String name() { return "usage"; }
                        public String summary() { return "How full it is."; }
                        public List<Setting<?>> parameters() { return List.of(Setting.flag("all", false)); }
                        public DiagnosticTable run(DiagnosticRequest request) {
                            return DiagnosticTable.of("A").row("b");
                        }
                    });
                }
                """).write(installed);

        LoadedPlugin plugin = daemon.loadOne();

        assertThat(plugin.manifest()).isEqualTo(new PluginManifest("full", "1.0.0", "[0.1,0.2)"));
        assertThat(plugin.source()).isEqualTo(installed.resolve("full-1.0.0.jar"));
        assertThat(plugin.settings()).extracting(Setting::name).containsExactly("warm", "aloud");
        assertThat(plugin.parts().factories()).extracting(f -> f.name()).containsExactly("ranges-1");
        assertThat(plugin.parts().factories()).extracting(f -> f.name()).containsExactly("ranges-1");
        assertThat(plugin.parts().policies()).extracting(p -> p.name()).containsExactly("warm-target");
        assertThat(plugin.diagnostics()).singleElement().satisfies(diagnostic -> {
            assertThat(diagnostic.name()).isEqualTo("usage");
            assertThat(diagnostic.summary()).isEqualTo("How full it is.");
            assertThat(diagnostic.parameters()).extracting(Setting::name).containsExactly("all");
        });
        assertThat(plugin.plugin().getClass().getClassLoader()).isSameAs(plugin.loader());
    }

    @Test
    void pluginsAreSortedByIdWhateverTheirFilesAreCalled() {
        PluginJar.of("beech").plugin("").writeTo(installed.resolve("1.jar"));
        PluginJar.of("ash").plugin("").writeTo(installed.resolve("2.jar"));

        daemon.load();

        assertThat(daemon.ids()).containsExactly("ash", "beech");
    }

    @Test
    void ofTwoPluginsOfOneIdTheFirstFoundIsUsed() {
        PluginJar.of("ash").plugin("").writeTo(installed.resolve("ash-1.jar"));
        PluginJar.of("ash").manifest("Plugin-Version", "2.0.0").plugin("").writeTo(installed.resolve("ash-2.jar"));

        daemon.load();

        assertThat(daemon.catalog().plugins())
                .extracting(p -> p.manifest().version())
                .containsExactly("1.0.0");
        assertThat(daemon.rejected()).satisfies(other -> {
            assertThat(other.name()).isEqualTo("ash");
            assertThat(other.source()).isEqualTo(installed.resolve("ash-2.jar"));
            assertThat(other.cause())
                    .contains("is there twice")
                    .contains("ash-1.jar")
                    .contains("remove one");
        });
    }

    @Test
    void ofTwoPluginsWithOneNameTheFirstByIdHasIt() {
        PluginJar.of("beech").plugin(FACTORY + policies("greedy")).writeTo(installed.resolve("1.jar"));
        PluginJar.of("ash").plugin(FACTORY + policies("greedy")).writeTo(installed.resolve("2.jar"));
        PluginJar.of("cedar").plugin(FACTORY + policies("modest")).writeTo(installed.resolve("3.jar"));

        daemon.load();

        assertThat(daemon.ids()).containsExactly("ash", "cedar");
        assertThat(daemon.rejected().name()).isEqualTo("beech");
        assertThat(daemon.rejected().cause()).contains("greedy").contains("plugin ash");
    }

    @Test
    void aPluginThatIsRejectedKeepsNoName() {
        PluginJar.of("ash").plugin(FACTORY + policies("greedy", "watermark")).write(installed);
        PluginJar.of("beech").plugin(FACTORY + policies("greedy")).write(installed);

        daemon.load("watermark");

        assertThat(daemon.ids()).containsExactly("beech");
    }

    @Test
    void theDaemonsOwnNamesAreNotGivenAway() {
        PluginJar.of("usurper").plugin(FACTORY + policies("watermark")).write(installed);

        daemon.load("watermark", "eni-ip");

        assertThat(daemon.rejected().cause()).contains("watermark").contains("daemon's own");
    }

    @Test
    void aFactoryAndAPolicyMayNotShareAName() {
        PluginJar.of("twin").plugin(FACTORY + policies("twin") + """
                public List<ResourceFactoryProvider> resourceFactories() { return List.of(factory("twin")); }
                """).write(installed);

        daemon.load();

        assertThat(daemon.rejected().cause()).contains("the name twin").contains("names must differ");
    }

    @Test
    void theDirectoryMayHoldOtherThings() throws Exception {
        PluginJar.of("ash").plugin("").write(installed);
        Files.writeString(installed.resolve("README.txt"), "drop plugins here");
        PluginJar.of("hidden").plugin("").writeTo(installed.resolve(".hidden.jar"));
        PluginJar.of("being-copied").plugin("").write(installed.resolve(".being-copied"));

        daemon.load();

        assertThat(daemon.ids()).containsExactly("ash");
        assertThat(daemon.catalog().rejected()).isEmpty();
    }

    @Test
    void aDirectoryThatIsMissingIsEmpty() {
        daemon.load(PluginInstallation.places(temporary.resolve("none")), PluginInstallation.PATIENT);

        assertThat(daemon.catalog().plugins()).isEmpty();
        assertThat(daemon.catalog().rejected()).isEmpty();
    }

    @Test
    void aDirectoryThatIsAFileIsToldAbout() throws Exception {
        Path file = Files.writeString(temporary.resolve("no-directory"), "");

        daemon.load(PluginInstallation.places(file), PluginInstallation.PATIENT);

        assertThat(daemon.rejected().cause()).contains("the directory of plugins cannot be read");
    }

    @Test
    void aSymbolicLinkLeadsToAPlugin() throws Exception {
        Path elsewhere = PluginJar.of("linked").plugin("").write(temporary.resolve("releases/7"));
        Files.createSymbolicLink(installed.resolve("current"), elsewhere.getParent());
        Files.createSymbolicLink(installed.resolve("again.jar"), elsewhere);

        daemon.load();

        assertThat(daemon.catalog().rejected())
                .extracting(RejectedPlugin::cause)
                .allMatch(c -> c.contains("is there twice"));
        assertThat(daemon.ids()).containsExactly("linked");
    }

    @Test
    void aNamedPluginGoesBeforeAnInstalledOne() {
        PluginJar.of("ash").plugin("").write(installed);
        Path mine = PluginJar.of("ash")
                .manifest("Plugin-Version", "1.1.0-dev")
                .plugin("")
                .write(temporary);

        daemon.load(
                new PluginSearchPath(Optional.of(installed), List.of(mine), PluginInstallation.noClassPath()),
                PluginInstallation.PATIENT);

        assertThat(daemon.catalog().plugins())
                .extracting(p -> p.manifest().version())
                .containsExactly("1.1.0-dev");
    }

    @Test
    void aPluginThatIsNamedAndInstalledIsOne() {
        Path jar = PluginJar.of("ash").plugin("").write(installed);

        daemon.load(
                new PluginSearchPath(Optional.of(installed), List.of(jar), PluginInstallation.noClassPath()),
                PluginInstallation.PATIENT);

        assertThat(daemon.ids()).containsExactly("ash");
        assertThat(daemon.catalog().rejected()).isEmpty();
    }

    @Test
    void aNamedPluginThatIsMissingIsRejected() {
        daemon.load(
                new PluginSearchPath(
                        Optional.empty(), List.of(temporary.resolve("no.jar")), PluginInstallation.noClassPath()),
                PluginInstallation.PATIENT);

        assertThat(daemon.rejected().name()).isEqualTo("no.jar");
        assertThat(daemon.rejected().cause()).contains("there is no such file");
    }

    @Test
    void aDirectoryOfJarsIsOnePluginWithItsLibraries() {
        Path home = installed.resolve("layered");
        PluginJar library = PluginJar.library("a-library")
                .source("package lib; public class Greeting { public static String text() { return \"hi\"; } }");
        library.write(home);
        PluginJar.of("layered").with(library).plugin("""
                        public List<Setting<?>> settings() {
                            return List.of(Setting.flag(lib.Greeting.text(), true));
                        }
                        """).write(home);

        LoadedPlugin plugin = daemon.loadOne();

        assertThat(plugin.settings()).extracting(Setting::name).containsExactly("hi");
        assertThat(plugin.source()).isEqualTo(home);
    }

    @Test
    void aNamedDirectoryOfJarsIsAPlugin() {
        Path home = temporary.resolve("mine");
        PluginJar.of("mine").plugin("").write(home);
        PluginJar.library("a-library").write(home);

        daemon.load(
                new PluginSearchPath(Optional.empty(), List.of(home), PluginInstallation.noClassPath()),
                PluginInstallation.PATIENT);

        assertThat(daemon.ids()).containsExactly("mine");
        assertThat(daemon.catalog().plugins().get(0).source()).isEqualTo(home);
    }

    @ParameterizedTest
    @CsvSource({
        "0.1.0, true",
        "0.1.9, true",
        "0.1.0-SNAPSHOT, true",
        "0.1.0-rc.1+5, true",
        "0.0.9, false",
        "0.2.0, false",
        "0.2.0-rc.1, false"
    })
    void aPreReleaseOfTheSdkCountsAsItsRelease(String sdk, boolean works) {
        PluginJar.of("ash").plugin("").write(installed);

        try (PluginCatalog catalog = find(sdk)) {
            assertThat(catalog.loadAll().plugins()).hasSize(works ? 1 : 0);
        }
    }

    @Test
    void anSdkWithoutAVersionIsTheCallersMistake() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> find("development"))
                .withMessageContaining("'development' is not a semantic version");
    }

    @Test
    void anExampleGivesWayToAnyOtherPluginOfItsId() throws Exception {
        Path examples = Files.createDirectory(temporary.resolve("examples"));
        Path mine = PluginJar.of("ash")
                .manifest("Plugin-Version", "9.0.0")
                .plugin("")
                .write(installed);
        PluginSearchPath places = new PluginSearchPath(
                Optional.of(installed),
                List.of(),
                PluginInstallation.noClassPath(),
                List.of(
                        PluginJar.of("ash").plugin("").write(examples),
                        PluginJar.of("oak").plugin("").write(examples),
                        PluginJar.of("elm").without("Sdk-Version").plugin("").write(examples),
                        examples.resolve("absent.jar")));

        PluginCatalog catalog = daemon.load(places, PluginInstallation.PATIENT);

        assertThat(daemon.ids()).containsExactly("ash", "oak");
        assertThat(catalog.plugins().get(0).source()).isEqualTo(mine);
        assertThat(catalog.rejected()).isEmpty();
    }

    private PluginCatalog find(String sdk) {
        return PluginCatalog.find(
                PluginInstallation.places(installed), sdk, Set.of(), PluginInstallation.PATIENT, LoadingRecord.none());
    }

    @Test
    void aClosedCatalogLeavesNothingOfItsPluginsInMemory() {
        PluginJar.of("ash")
                .plugin("public List<Setting<?>> settings() { return List.of(Setting.flag(\"a\", true)); }")
                .write(installed);
        PluginJar.of("broken")
                .plugin("public Plugin() { throw new IllegalStateException(\"kept by nobody\") { }; }")
                .write(installed);
        WeakReference<PluginClassLoader> loader =
                new WeakReference<>(daemon.load().plugins().get(0).loader());
        List<RejectedPlugin> told = daemon.catalog().rejected();

        daemon.load(PluginInstallation.places(temporary.resolve("none")), PluginInstallation.PATIENT);

        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            System.gc();
            assertThat(loader.refersTo(null)).isTrue();
        });
        assertThat(told).hasSize(1);
    }

    private static String policies(String... names) {
        StringBuilder list = new StringBuilder();
        for (String name : names) {
            list.append(list.isEmpty() ? "" : ", ")
                    .append("policy(\"")
                    .append(name)
                    .append("\")");
        }
        return "public List<PoolPolicyProvider> poolPolicies() { return List.of(" + list + "); }";
    }
}

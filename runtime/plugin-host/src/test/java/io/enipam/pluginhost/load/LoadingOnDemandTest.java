package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.config.ConfigFile;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.config.Schema;
import io.enipam.pluginhost.PluginHost;
import io.enipam.pluginhost.PluginHost.BuiltIns;
import io.enipam.pluginhost.load.PluginCatalog.WaitingPlugin;
import io.enipam.pluginhost.testing.PluginJar;
import io.enipam.sdk.PoolPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which plugins a start waits for. A plugin named a-slow never finishes loading, and is the first by id. */
class LoadingOnDemandTest {
    private static final String STEADY = """
            public List<Setting<?>> settings() { return List.of(Setting.wholeNumber("warm", 0, 10, 5)); }
            public List<PoolPolicyProvider> poolPolicies() {
                return List.of(PoolPolicyProvider.of("steady", context -> () -> "steady"));
            }
            """;

    /** In which a plugin that does load has loaded on a busy machine too. */
    private static final Duration DEADLINE = Duration.ofSeconds(5);

    @TempDir
    Path temporary;

    @AutoClose
    private PluginInstallation daemon;

    @BeforeEach
    void install() throws Exception {
        daemon = new PluginInstallation(Files.createDirectory(temporary.resolve("plugins")));
        daemon.add(PluginJar.of("a-slow")
                .plugin("public Plugin() throws InterruptedException { Thread.sleep(600_000); }"));
        daemon.add(PluginJar.of("furniture").plugin(STEADY));
    }

    @Test
    void aConfigurationWithoutPluginsRunsNoneOfTheirCode() throws Exception {
        find(Duration.ofMinutes(10));

        assertThat(configured("pool: {max_idle: 7}").engine().watermarks().maxIdle())
                .isEqualTo(7);

        assertThat(waiting()).containsExactly("a-slow", "furniture");
    }

    @Test
    void aPluginWithSettingsIsWaitedForAndNoOther() throws Exception {
        find(Duration.ofMinutes(10));

        DaemonConfig config = configured("plugins: {furniture: {warm: 3}}");

        assertThat(config.entries()).anySatisfy(entry -> {
            assertThat(entry.key()).isEqualTo("plugins.furniture.warm");
            assertThat(entry.value()).isEqualTo("3");
        });
        assertThat(waiting()).containsExactly("a-slow");
    }

    @Test
    void aPolicyOfAPluginIsLookedForUntilItIsFound() throws Exception {
        find(DEADLINE);

        assertThat(configured("pool: {policy: steady}").get(Schema.POLICY)).isEqualTo("steady");

        assertThat(waiting()).isEmpty();
        assertThat(daemon.ids()).containsExactly("furniture");
        assertThat(daemon.rejected().cause()).contains("has not returned after 5000 ms");
    }

    @Test
    void theOthersAreLoadedBesideTheStart() throws Exception {
        PluginCatalog catalog = find(DEADLINE);

        catalog.loadRest();

        assertThat(catalog.awaitAll(Duration.ofMinutes(1))).isTrue();
        assertThat(daemon.ids()).containsExactly("furniture");
    }

    @Test
    void aDaemonThatStopsDoesNotWaitForAPluginThatIsBeingLoaded() throws Exception {
        PluginCatalog catalog = find(Duration.ofMinutes(10));
        catalog.loadRest();
        assertThat(catalog.awaitAll(Duration.ofMillis(50))).isFalse();

        catalog.close();

        assertThat(catalog.awaitAll(Duration.ofMinutes(1))).isTrue();
        assertThat(catalog.offering("steady")).isEmpty();
        assertThat(catalog.rejected()).isEmpty();
    }

    private PluginCatalog find(Duration deadline) {
        return daemon.find(PluginInstallation.places(daemon.directory()), deadline, LoadingRecord.none());
    }

    private List<String> waiting() {
        return daemon.catalog().waiting().stream()
                .map(WaitingPlugin::manifest)
                .map(LoadedPlugin.PluginManifest::id)
                .toList();
    }

    private DaemonConfig configured(String yaml) throws IOException {
        Path file = Files.writeString(temporary.resolve("enipam.yaml"), yaml);
        Supplier<PoolPolicy> named = () -> () -> "watermark";
        KnownPlugins known = PluginHost.knownPlugins(
                daemon.catalog(), new BuiltIns(Map.of("watermark", named), Map.of("eni-ip", () -> {
                    throw new IllegalStateException("names alone are asked for");
                })));
        return ConfigLoader.load(List.of(ConfigFile.usual(file, SettingsFile.ENIPAM_YAML)), true, Map.of(), known);
    }
}

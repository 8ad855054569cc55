package io.enipam.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.enipam.config.ConfigException.ConfigProblem;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PluginSectionsTest {
    private static final Setting<Integer> WARM =
            Setting.wholeNumber("warm", 0, 100, 5).unit("addresses").doc("Idle addresses to keep.");
    private static final Setting<Duration> PAUSE =
            Setting.duration("pause", Duration.ZERO, Duration.ofHours(1), Duration.ofSeconds(3));
    private static final Setting<List<String>> RANGES =
            Setting.texts("ranges", "subnets", "[0-9./]+", 3, List.of("10.0.0.0/24"));
    private static final Setting<String> TOKEN =
            Setting.text("token", "text", "[a-z]*", "").secret();
    private static final Setting<Map<String, Integer>> LIMITS = Setting.map(
                    "limits", "namespaces", "[a-z;=-]+", Setting.wholeNumber("limit", 0, 100, 0), 3, Map.of())
            .live();
    private static final Setting<String> CIDR = Setting.text("cidr", "a subnet", "[0-9./]+", "0.0.0.0/0");
    private static final Setting<Integer> SIZE = Setting.wholeNumber("size", 0, 100, 1);
    private static final Setting<List<Settings>> NETS = Setting.records("nets", 3, List.of(CIDR, SIZE));
    private static final List<Setting<?>> SCHEMA = List.of(WARM, PAUSE, RANGES, TOKEN, LIMITS, NETS);
    private static final KnownPlugins KNOWN = new KnownPlugins(
            List.of(new KnownPlugins.Plugin("warm-pool", SCHEMA, Set.of("warm"), Set.of("bare"), Set.of("vlan"))),
            Set.of(),
            Set.of("watermark"),
            Set.of("eni-ip"));

    @TempDir
    Path directory;

    @Test
    void whatAPluginDeclaresIsReadFromItsSection() throws IOException {
        DaemonConfig config = load("""
                pool: {policy: warm, factory: bare}
                plugins:
                  warm-pool: {warm: 7, pause: 1m30s, ranges: [10.1.0.0/24, 10.2.0.0/24], token: abc}
                """);

        assertThat(config.get(Schema.POLICY)).isEqualTo("warm");
        assertThat(config.get(Schema.FACTORY)).isEqualTo("bare");
        assertThat(config.pluginSettings("warm-pool", SCHEMA).get(WARM)).isEqualTo(7);
        assertThat(config.pluginSettings("warm-pool", SCHEMA).get(PAUSE)).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.pluginSettings("warm-pool", SCHEMA).get(RANGES))
                .containsExactly("10.1.0.0/24", "10.2.0.0/24");
        assertThat(config.pluginSettingSource("warm-pool", "warm")).endsWith("enipam.yaml");
        assertThat(config.pluginSettingSource("warm-pool", "absent")).isEqualTo("default");
    }

    @Test
    void aScalarStandsForAListOfOne() throws IOException {
        assertThat(load("plugins: {warm-pool: {ranges: 10.9.0.0/16}}")
                        .pluginSettings("warm-pool", SCHEMA)
                        .get(RANGES))
                .containsExactly("10.9.0.0/16");
    }

    @Test
    void aMapAndRecordsAreWrittenAsYamlHasThem() throws IOException {
        Settings settings = load("""
                plugins:
                  warm-pool:
                    limits: {shop: 3, "a=b;c": 4}
                    nets:
                      - cidr: 10.0.0.0/24
                      - {cidr: 10.0.1.0/24, size: 7}
                """).pluginSettings("warm-pool", SCHEMA);

        assertThat(settings.get(LIMITS)).containsExactly(Map.entry("shop", 3), Map.entry("a=b;c", 4));
        assertThat(settings.get(NETS)).extracting(net -> net.get(CIDR)).containsExactly("10.0.0.0/24", "10.0.1.0/24");
        assertThat(settings.get(NETS)).extracting(net -> net.get(SIZE)).containsExactly(1, 7);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limits: 3",
                "limits: [shop]",
                "limits: {shop: many}",
                "limits: {shop: [3]}",
                "limits: {a: 1, b: 2, c: 3, d: 4}",
                "nets: 10.0.0.0/24",
                "nets: [10.0.0.0/24]",
                "nets: [{cidr: 10.0.0.0/24, mask: 3}]",
                "nets: [{}]",
                "warm: {shop: 3}"
            })
    void anotherShapeIsRefused(String setting) {
        ConfigException broken =
                catchThrowableOfType(ConfigException.class, () -> load("plugins: {warm-pool: {" + setting + "}}"));

        assertThat(broken.problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.toString()).contains("is not allowed; allowed is"));
    }

    @Test
    void whatIsLiveChangesAtOnceAndTheRestWithTheNextStart() throws IOException {
        DaemonConfig before = load("plugins: {warm-pool: {warm: 7, limits: {shop: 3}}}");
        DaemonConfig next = load("plugins: {warm-pool: {warm: 8, limits: {shop: 4}}}");

        DaemonConfig now = before.applyLiveChanges(next);

        assertThat(now.pluginSettings("warm-pool", SCHEMA).get(LIMITS)).isEqualTo(Map.of("shop", 4));
        assertThat(now.pluginSettings("warm-pool", SCHEMA).get(WARM)).isEqualTo(7);
        assertThat(now.pending()).extracting(DaemonConfig.Pending::key).containsExactly("plugins.warm-pool.warm");
        assertThat(before.differing(now)).containsExactly("plugins.warm-pool.limits");
        assertThat(now.applyLiveChanges(load(""))
                        .pluginSettings("warm-pool", SCHEMA)
                        .get(LIMITS))
                .isEmpty();
    }

    @Test
    void aLaterFileReplacesOneSettingAndLeavesTheOthers() throws IOException {
        Path first = Files.writeString(directory.resolve("a.yaml"), "plugins: {warm-pool: {warm: 7, pause: 9s}}");
        Path second = Files.writeString(directory.resolve("b.yaml"), "plugins: {warm-pool: {warm: 8}}");
        DaemonConfig config =
                ConfigLoader.load(List.of(ConfigFile.named(first), ConfigFile.named(second)), true, Map.of(), KNOWN);

        assertThat(config.pluginSettings("warm-pool", SCHEMA).get(WARM)).isEqualTo(8);
        assertThat(config.pluginSettings("warm-pool", SCHEMA).get(PAUSE)).isEqualTo(Duration.ofSeconds(9));
    }

    @Test
    void theConfigurationShownListsPluginsAndHidesTheirSecrets() throws IOException {
        assertThat(load("plugins: {warm-pool: {token: geheim}}").entries())
                .contains(new DaemonConfig.Entry(
                        "plugins.warm-pool.warm",
                        "5",
                        "default",
                        "Idle addresses to keep. Allowed: a whole number, 0 to 100 (addresses)."))
                .anySatisfy(entry -> {
                    assertThat(entry.key()).isEqualTo("plugins.warm-pool.token");
                    assertThat(entry.value()).isEqualTo("***");
                })
                .noneMatch(entry -> entry.toString().contains("geheim"));
    }

    @Test
    void allProblemsAreToldAtOnceWithThoseOfTheRest() {
        ConfigException broken = catchThrowableOfType(ConfigException.class, () -> load("""
                        pool: {min_idle: many, policy: warn, factory: nothing-like-it}
                        plugins:
                          warm-pool: {warn: 7, warm: 1000, ranges: [{a: b}], token: GEHEIM, pause: null}
                          warm-pol: {warm: 1}
                          other: 5
                        """));

        assertThat(broken.problems())
                .extracting(ConfigProblem::message)
                .containsExactlyInAnyOrder(
                        "pool.min_idle: 'many' is not allowed; allowed is a whole number, 0 to 10000 (addresses)",
                        "plugins.warm-pool.warn: unknown key; did you mean warm?",
                        "plugins.warm-pool.warm: '1000' is not allowed; allowed is a whole number, 0 to 100 (addresses)",
                        "plugins.warm-pool.ranges: '[{\"a\":\"b\"}]' is not allowed; allowed is subnets, at most 3",
                        "plugins.warm-pool.token: '***' is not allowed; allowed is text",
                        "plugins.warm-pool.pause: 'null' is not allowed; allowed is a duration, 0s to 1h",
                        "plugins.warm-pol: there is no such plugin; did you mean warm-pool?",
                        "plugins.other: there is no such plugin; put it into the plugins directory, or take these"
                                + " settings out",
                        "pool.policy: no plugin brings a policy 'warn'; did you mean warm?",
                        "pool.factory: no plugin brings a factory 'nothing-like-it'; there is bare, eni-ip");
    }

    @Test
    void whatIsSaidOfAPluginThatCouldNotBeLoadedIsLetThroughWithAWarning() throws IOException {
        Path file = Files.writeString(
                directory.resolve("enipam.yaml"), "{pool: {policy: magic}, plugins: {broken-one: {anything: 1}}}");
        DaemonConfig config = ConfigLoader.load(
                List.of(ConfigFile.named(file)),
                true,
                Map.of(),
                new KnownPlugins(List.of(), Set.of("broken-one"), Set.of("watermark"), Set.of("eni-ip")));

        assertThat(config.get(Schema.POLICY)).isEqualTo("magic");
        assertThat(config.warnings())
                .containsExactly("pool.policy: a policy 'magic' was not loaded, and plugins were rejected: broken-one");
    }

    @Test
    void aNodeWhoseAddressesComeFromAPluginNeedsNoCloudCredentials() throws IOException {
        Path file = Files.writeString(directory.resolve("enipam.yaml"), "pool: {factory: bare}");

        assertThat(ConfigLoader.load(List.of(ConfigFile.named(file)), false, Map.of(), KNOWN)
                        .get(Schema.FACTORY))
                .isEqualTo("bare");
    }

    private DaemonConfig load(String yaml) throws IOException {
        Path file = Files.writeString(directory.resolve("enipam.yaml"), yaml);
        return ConfigLoader.load(List.of(ConfigFile.named(file)), true, Map.of(), KNOWN);
    }
}

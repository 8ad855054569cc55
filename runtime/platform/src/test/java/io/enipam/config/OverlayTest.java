package io.enipam.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.enipam.config.ConfigException.ConfigProblem;
import io.enipam.config.RemoteConfig.Overlay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a ConfigMap says over the files: terway's merge, and what it may say. */
class OverlayTest {
    private static final String MAP = "configmap kube-system/gpu";
    private static final String ENI_JSON = """
            {
              "version": "1", "access_key": "AK", "access_secret": "SECRET-1", "max_pool_size": 5, "min_pool_size": 1,
              "vswitches": {"zone-a": ["vsw-a1", "vsw-a2"], "zone-b": ["vsw-b"]},
              "eni_tags": {"team": "net", "cost": "42"}, "max_eni": 4
            }""";

    @TempDir
    private Path directory;

    @Test
    void mapsAreMergedKeyByKeyNullTakesAKeyAwayAndTheRestIsReplaced() throws IOException {
        DaemonConfig merged = files("").withRemote(saying("""
                {"max_pool_size": 9, "min_pool_size": null, "vswitches": {"zone-a": ["vsw-new"], "zone-b": null, "zone-c": []},
                 "eni_tags": {"cost": "7"}}"""));

        assertThat(merged.engine().watermarks().maxIdle()).isEqualTo(9);
        assertThat(merged.engine().watermarks().minIdle()).as("the default").isZero();
        assertThat(merged.enis().vswitches()).isEqualTo(Map.of("zone-a", List.of("vsw-new"), "zone-c", List.of()));
        assertThat(merged.enis().tags()).isEqualTo(Map.of("team", "net", "cost", "7"));
        assertThat(entry(merged, "pool.max_idle").source()).isEqualTo(MAP);
        assertThat(entry(merged, "max_eni").source()).endsWith("eni.json");
    }

    @Test
    void aConfigMapIsOverTheFilesWhateverNameTheyHaveForASetting() throws IOException {
        DaemonConfig files = files("pool: {max_idle: 3}\n");
        assertThat(files.engine().watermarks().maxIdle()).isEqualTo(3);

        assertThat(files.withRemote(saying("{\"max_pool_size\": 9}"))
                        .engine()
                        .watermarks()
                        .maxIdle())
                .isEqualTo(9);
        assertThat(files.withRemote(new RemoteConfig(
                                Optional.of(new Overlay(
                                        MAP,
                                        Optional.of("{\"max_pool_size\": 9}"),
                                        Optional.of("pool: {max_idle: 8, capacity: 20}"))),
                                List.of()))
                        .engine())
                .satisfies(engine -> {
                    assertThat(engine.watermarks().maxIdle())
                            .as("ours wins within the map")
                            .isEqualTo(8);
                    assertThat(engine.watermarks().capacity()).isEqualTo(20);
                });
    }

    @Test
    void whatCanBeHadAtOnceIsAndWhatCannotWaitsUntilTheMapIsGone() throws IOException {
        DaemonConfig files = files("");

        DaemonConfig turned = files.applyLiveChanges(
                files.withRemote(saying("{\"max_pool_size\": 9, \"max_eni\": 2, \"rate_limit\": {\"\": 7}}")));

        assertThat(turned.engine().watermarks().maxIdle()).isEqualTo(9);
        assertThat(turned.calls().perMinute()).isEqualTo(Map.of("", 7));
        assertThat(turned.enis().bounds())
                .as("of the start")
                .isEqualTo(files.enis().bounds());
        assertThat(turned.pending()).containsExactly(new DaemonConfig.Pending("max_eni", "2", MAP));
        assertThat(entry(turned, "max_eni")).satisfies(shown -> {
            assertThat(shown.value()).isEqualTo("4");
            assertThat(shown.pending()).contains(new DaemonConfig.Pending("max_eni", "2", MAP));
        });

        DaemonConfig back = turned.applyLiveChanges(turned.withRemote(RemoteConfig.none()));
        assertThat(back.pending()).isEmpty();
        assertThat(back.entries()).isEqualTo(files.entries());
    }

    @Test
    void whichPodsKeepTheirAddressAndHowLongIsChangedAtOnce() throws IOException {
        DaemonConfig files = files("kubernetes: {stick_time: 1m, trust_calls: false}");
        Overlay overlay = new Overlay(
                MAP,
                Optional.of("{\"custom_stateful_workload_kinds\": [\"CloneSet\"]}"),
                Optional.of("kubernetes: {stick_time: 9m, trust_calls: true}"));

        DaemonConfig turned =
                files.applyLiveChanges(files.withRemote(new RemoteConfig(Optional.of(overlay), List.of())));

        assertThat(turned.cluster().stick()).hasMinutes(9);
        assertThat(turned.cluster().statefulKinds()).containsExactly("CloneSet");
        assertThat(turned.cluster().trustCalls()).as("of the start").isFalse();
        assertThat(turned.pending()).containsExactly(new DaemonConfig.Pending("kubernetes.trust_calls", "true", MAP));
    }

    @Test
    void aMapThatIsWrongIsRefusedAsAWholeWithEveryProblemAndWhereItIs() throws IOException {
        ConfigException refusal = refusal("{\"max_pool_size\": -1, \"vswitch\": {}, \"rate_limit\": {\"a\": \"b\"}}");

        assertThat(refusal.problems())
                .extracting(ConfigProblem::toString)
                .containsExactly(
                        MAP + " key eni_conf: max_pool_size: '-1' is not allowed; allowed is a whole number, 0 to 10000"
                                + " (addresses)",
                        MAP + " key eni_conf: vswitch: unknown key; did you mean vswitches?",
                        MAP
                                + " key eni_conf: rate_limit: '{\"a\":\"b\"}' is not allowed; allowed is a map of names to whole"
                                + " numbers, 1 to 100000 (calls a minute)");
        assertThat(refusal("{\"max_pool_size\": ").problems())
                .singleElement()
                .extracting(ConfigProblem::toString)
                .asString()
                .startsWith(MAP + " key eni_conf: not valid JSON at line 1");
        assertThat(catchThrowableOfType(
                                ConfigException.class,
                                () -> files("")
                                        .withRemote(new RemoteConfig(
                                                Optional.of(new Overlay(MAP, Optional.empty(), Optional.empty())),
                                                List.of())))
                        .getMessage())
                .isEqualTo(MAP + ": has neither the key eni_conf nor enipam.yaml, so it says nothing");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "access_secret,`{\"access_secret\": \"SECRET-2\"}`",
                "access_key,`{\"access_key\": null}`",
                "credential_path,`{\"credential_path\": \"/tmp/x\"}`",
            })
    void credentialsAreAFilesAloneAndAreNotShown(String key, String said) throws IOException {
        assertThat(refusal(said).getMessage())
                .contains(key + ": a ConfigMap may not change it: a ConfigMap is no place for a secret")
                .doesNotContain("SECRET");
    }

    @Test
    void whomTheDaemonBelievesAndItsPathsAreAFilesAlone() throws IOException {
        DaemonConfig files = files("");
        for (String section : List.of(
                "cloud: {endpoint: 'http://evil:1'}",
                "cloud: {metadata: 'http://evil:1'}",
                "node: {name: other}",
                "kubernetes: {kubeconfig: /tmp/x}",
                "kubernetes: {use: 'off'}",
                "kubernetes: {config_namespace: mine}",
                "sockets: {control: /tmp/x.sock}",
                "emulator: {seed: 3}")) {
            Overlay overlay = new Overlay(MAP, Optional.empty(), Optional.of(section));
            assertThat(catchThrowableOfType(
                                    ConfigException.class,
                                    () -> files.withRemote(new RemoteConfig(Optional.of(overlay), List.of())))
                            .getMessage())
                    .as(section)
                    .contains("a ConfigMap may not change it", "set it in a file on the node");
        }
    }

    @Test
    void whoCopiesAWholeFileMayRepeatWhatMayNotChange() throws IOException {
        DaemonConfig merged =
                files("").withRemote(saying(ENI_JSON.replace("\"max_pool_size\": 5", "\"max_pool_size\": 6")));
        assertThat(merged.engine().watermarks().maxIdle()).isEqualTo(6);
        assertThat(entry(merged, "access_secret").value()).isEqualTo("***");
    }

    @Test
    void theWholeIsCheckedAndNotTheMapAlone() throws IOException {
        DaemonConfig merged = files("").withRemote(saying("{\"min_pool_size\": 7}"));
        assertThat(merged.engine().watermarks().maxIdle()).isEqualTo(7);
        assertThat(merged.warnings())
                .containsExactly("pool.min_idle 7 is above pool.max_idle 5: pool.max_idle is raised to 7");
    }

    @Test
    void serviceAddressesAreThoseConfiguredOrElseKubeadms() throws IOException {
        RemoteConfig kubeadm = RemoteConfig.none().withServiceCidrs(List.of("172.21.0.0/20", "fd00:10:0::/112"));
        DaemonConfig files = files("");
        assertThat(files.withRemote(kubeadm)).satisfies(config -> {
            assertThat(config.get(Schema.SERVICE_CIDR)).containsExactly("172.21.0.0/20", "fd00:10::/112");
            assertThat(config.source(Schema.SERVICE_CIDR)).isEqualTo("configmap kube-system/kubeadm-config");
        });
        assertThat(files.withRemote(new RemoteConfig(
                                saying("{\"service_cidr\": \"10.96.0.0/12\"}").overlay(), kubeadm.serviceCidrs()))
                        .get(Schema.SERVICE_CIDR))
                .containsExactly("10.96.0.0/12");
        assertThat(files.withRemote(RemoteConfig.none().withServiceCidrs(List.of("nonsense")))
                        .warnings())
                .singleElement()
                .asString()
                .contains("serviceSubnet 'nonsense'");
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1/20", "10.96.0.0", "'10.0.0.0/16,10.1.0.0/16'", "'10.0.0.0/16,'", "x/8"})
    void whatIsNoSubnetIsNoServiceAddress(String written) throws IOException {
        assertThat(refusal("{\"service_cidr\": \"" + written + "\"}").getMessage())
                .contains("service_cidr: '" + written + "' is not allowed");
    }

    @Test
    void terwaysKeysThatSayWhatIsDoneAnywayAreNoNews() throws IOException {
        DaemonConfig files = files("");
        assertThat(files.withRemote(saying("{\"version\": \"1\", \"hot_plug\": \"true\", \"ip_stack\": \"ipv4\"}"))
                        .ignoredSettings())
                .isEmpty();
        assertThat(files.withRemote(saying("{\"hot_plug\": \"false\", \"prefix\": \"p\"}"))
                        .ignoredSettings())
                .containsExactly("hot_plug of " + MAP, "prefix of " + MAP);
    }

    private DaemonConfig files(String yaml) throws IOException {
        Path eniJson = Files.writeString(directory.resolve("eni.json"), ENI_JSON);
        Path enipamYaml = Files.writeString(directory.resolve("enipam.yaml"), yaml);
        return ConfigLoader.load(
                List.of(ConfigFile.named(eniJson), ConfigFile.named(enipamYaml)), false, Map.of(), KnownPlugins.none());
    }

    private ConfigException refusal(String eniConf) throws IOException {
        DaemonConfig files = files("");
        return catchThrowableOfType(ConfigException.class, () -> files.withRemote(saying(eniConf)));
    }

    private static RemoteConfig saying(String eniConf) {
        return new RemoteConfig(Optional.of(new Overlay(MAP, Optional.of(eniConf), Optional.empty())), List.of());
    }

    private static DaemonConfig.Entry entry(DaemonConfig config, String key) {
        return config.entries().stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElseThrow();
    }
}

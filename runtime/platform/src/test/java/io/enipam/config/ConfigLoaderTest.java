package io.enipam.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.EniConfig.EniBounds;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig.Retries;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.config.ConfigException.ConfigProblem;
import io.enipam.config.ConfigFile.SettingsFile;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.Latency;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.EngineConfig.IdleReclaim;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.pool.PoolSettings.Watermarks;
import io.enipam.platform.Logging.LogFormat;
import io.enipam.sdk.Family;
import io.enipam.sdk.Role;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {
    private static final String KEYS = "{\"access_key\": \"AK\", \"access_secret\": \"SECRET-1\"}";

    @TempDir
    Path directory;

    @Test
    void aSandboxWithoutFilesHasItsPleasantDefaults() {
        DaemonConfig config = ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none());

        assertThat(config.engine())
                .isEqualTo(new EngineConfig(
                        new Watermarks(2, 5, Integer.MAX_VALUE),
                        Set.of(Family.IPV4),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(60),
                        new EngineConfig.Intervals(
                                Duration.ofMinutes(5), Duration.ofMinutes(2), Duration.ofMinutes(2))));
        assertThat(config.get(Schema.ALLOCATION_TIMEOUT)).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.get(Schema.NETWORK)).isEqualTo("enipam");
        EmulatorConfig emulator = config.emulator(Path.of("/x"), "s");
        assertThat(emulator.site().instanceTypes()).containsExactly("ecs.g7.xlarge");
        assertThat(emulator.site().vswitches()).containsExactly(Map.entry("vsw-sandbox", "10.0.0.0/24"));
        assertThat(emulator.latency()).isEqualTo(Latency.NONE);
        AliyunConfig cloud = config.cloud(emulator, URI.create("http://a"), URI.create("http://b"));
        assertThat(cloud.enis().vswitches())
                .containsEntry(emulator.site().zones().get(0), List.of("vsw-sandbox"));
    }

    @Test
    void offAndOnWithoutQuotesAreTheWordsAlthoughYamlTakesThemForTruthValues() throws IOException {
        Path file = directory.resolve("enipam.yaml");
        Files.writeString(
                file,
                "kubernetes: {use: off}\ndatapath: {use: on}\nsockets: {cni: off, terway: off}\n"
                        + "kubelet: {device_plugins: off}\n");

        DaemonConfig config = ConfigLoader.load(
                List.of(json(KEYS), ConfigFile.usual(file, SettingsFile.ENIPAM_YAML)),
                false,
                Map.of(),
                KnownPlugins.none());

        assertThat(config.entries())
                .filteredOn(entry -> List.of("off", "on").contains(entry.value()))
                .extracting(entry -> entry.key() + " " + entry.value())
                .contains(
                        "kubernetes.use off",
                        "datapath.use on",
                        "sockets.cni off",
                        "sockets.terway off",
                        "kubelet.device_plugins off");
    }

    @Test
    void aNameThatYamlTakesForATruthValueIsNoName() throws IOException {
        Path file = directory.resolve("enipam.yaml");
        Files.writeString(file, "network: {name: off}\n");

        assertThatThrownBy(() -> ConfigLoader.load(
                        List.of(json(KEYS), ConfigFile.usual(file, SettingsFile.ENIPAM_YAML)),
                        false,
                        Map.of(),
                        KnownPlugins.none()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("network.name");
    }

    @Test
    void aNodeHasTerwaysDefaults() throws IOException {
        DaemonConfig config = ConfigLoader.load(List.of(json(KEYS)), false, Map.of(), KnownPlugins.none());

        assertThat(config.engine()).isEqualTo(EngineConfig.defaults());
        assertThat(config.cloud())
                .isEqualTo(new AliyunConfig(
                        new CredentialsConfig.Fixed("AK", "SECRET-1"),
                        CallConfig.USUAL,
                        Optional.empty(),
                        URI.create("http://100.100.100.200"),
                        EniConfig.defaults()));
    }

    @Test
    void everyKeyOfOursIsObeyed() throws IOException {
        ConfigFile yaml = yaml("""
            pool: {min_idle: 3, max_idle: 9, capacity: 40, cool_down: 1m30s, check_interval: 7s, sync_interval: 45s}
            allocation: {timeout: 250ms}
            gc: {interval: 1h}
            network: {name: blue}
            cloud: {endpoint: 'http://127.0.0.1:1', metadata: 'http://127.0.0.1:2'}
            node: {name: n1}
            log: {format: json, level: debug}
            sockets: {control: /run/x.sock}
            emulator:
              instance_type: ecs.g6.large
              vswitches: {vsw-a: 10.1.0.0/24, vsw-b: 10.2.0.0/28}
              latency: real
              seed: -7
            """);
        DaemonConfig config = ConfigLoader.load(List.of(json(KEYS), yaml), false, Map.of(), KnownPlugins.none());

        EngineConfig engine = config.engine();
        assertThat(List.of(
                        engine.watermarks().minIdle(),
                        engine.watermarks().maxIdle(),
                        engine.watermarks().capacity()))
                .containsExactly(3, 9, 40);
        assertThat(engine.coolDown()).isEqualTo(Duration.ofSeconds(90));
        assertThat(engine.intervals().poolCheck()).isEqualTo(Duration.ofSeconds(7));
        assertThat(engine.intervals().reconcile()).isEqualTo(Duration.ofSeconds(45));
        assertThat(engine.intervals().gc()).isEqualTo(Duration.ofHours(1));
        assertThat(config.get(Schema.GC_INTERVAL)).isEqualTo(Duration.ofHours(1));
        assertThat(config.get(Schema.ALLOCATION_TIMEOUT)).isEqualTo(Duration.ofMillis(250));
        assertThat(config.get(Schema.NETWORK)).isEqualTo("blue");
        assertThat(config.get(Schema.NODE_NAME)).isEqualTo("n1");
        assertThat(config.cloud().endpoint()).contains(URI.create("http://127.0.0.1:1"));
        assertThat(config.cloud().metadata()).isEqualTo(URI.create("http://127.0.0.1:2"));
        assertThat(config.logFormat()).isEqualTo(LogFormat.JSON);
        assertThat(config.get(Schema.LOG_LEVEL)).isEqualTo("debug");
        assertThat(config.controlSocket()).contains(Path.of("/run/x.sock"));
        EmulatorConfig emulator = config.emulator(Path.of("/x"), "s");
        assertThat(emulator.site().instanceTypes()).containsExactly("ecs.g6.large");
        assertThat(emulator.site().vswitches())
                .containsExactly(Map.entry("vsw-a", "10.1.0.0/24"), Map.entry("vsw-b", "10.2.0.0/28"));
        assertThat(emulator.latency()).isEqualTo(Latency.REAL);
        assertThat(emulator.seed()).isEqualTo(-7);
    }

    @Test
    void terwaysKeysThatAreObeyedReachTheCloudAndThePool() throws IOException {
        ConfigFile eni = json("""
            {"version": "1", "access_key": "AK", "access_secret": "S", "service_cidr": "172.16.0.0/16",
             "vswitches": {"z-a": ["vsw-1", "vsw-2"]}, "security_group": "sg-1", "security_groups": ["sg-2"],
             "max_pool_size": 7, "min_pool_size": 4, "max_eni": 3, "eni_tags": {"team": "net"},
             "ip_pool_sync_period": "33s", "eni_cap_ratio": 0.5, "eni_cap_shift": -1, "min_eni": 2,
             "vswitch_selection_policy": "random", "prefix": "x"}
            """);
        DaemonConfig config = ConfigLoader.load(List.of(eni), false, Map.of(), KnownPlugins.none());

        EniConfig enis = config.cloud().enis();
        assertThat(enis.vswitches()).containsEntry("z-a", List.of("vsw-1", "vsw-2"));
        assertThat(enis.vswitchPolicy()).isEqualTo(VSwitchPolicy.RANDOM);
        assertThat(enis.securityGroups()).containsExactly("sg-1", "sg-2");
        assertThat(enis.bounds()).isEqualTo(new EniBounds(3, 2, 0.5, -1));
        assertThat(enis.tags()).containsEntry("team", "net");
        assertThat(config.engine().watermarks().minIdle()).isEqualTo(4);
        assertThat(config.engine().watermarks().maxIdle()).isEqualTo(7);
        assertThat(config.engine().intervals().reconcile()).isEqualTo(Duration.ofSeconds(33));
        assertThat(config.engine().intervals().poolCheck()).isEqualTo(Duration.ofMinutes(2));
        assertThat(entry(config, "pool.max_idle").source()).endsWith("eni.json");
        assertThat(entry(config, "prefix").doc()).contains("not acted on yet");
        assertThat(entry(config, "eni_cap_ratio").doc()).doesNotContain("not acted on yet");
        assertThat(entry(config, "max_eni").doc()).doesNotContain("not acted on yet");
    }

    @Test
    void terwaysRuleForIdleAddressesReachesThePool() throws IOException {
        ConfigFile eni = json("""
            {"idle_ip_reclaim_after": "30m", "idle_ip_reclaim_interval": "5m", "idle_ip_reclaim_batch_size": 3,
             "idle_ip_reclaim_jitter_factor": 0.2}
            """);

        assertThat(ConfigLoader.load(List.of(eni), true, Map.of(), KnownPlugins.none())
                        .engine()
                        .reclaim())
                .isEqualTo(new IdleReclaim(Duration.ofMinutes(30), Duration.ofMinutes(5), 3, 0.2));
        assertThat(ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none())
                        .engine()
                        .reclaim())
                .isEqualTo(IdleReclaim.none());
    }

    @Test
    void aRatioOfZeroIsTerwaysWordForNone() throws IOException {
        DaemonConfig config =
                ConfigLoader.load(List.of(json("{\"eni_cap_ratio\": 0}")), true, Map.of(), KnownPlugins.none());

        assertThat(config.cloud().enis().bounds()).isEqualTo(EniBounds.none());
    }

    @Test
    void theTwoKeysOfSecurityGroupsAreOneListOfDistinctOnes() throws IOException {
        ConfigFile eni = json("{\"security_group\": \"sg-2\", \"security_groups\": [\"sg-1\", \"sg-2\", \"sg-1\"]}");

        assertThat(ConfigLoader.load(List.of(eni), true, Map.of(), KnownPlugins.none())
                        .cloud()
                        .enis()
                        .securityGroups())
                .containsExactly("sg-2", "sg-1");
    }

    @Test
    void elevenSecurityGroupsAreOneTooMany() throws IOException {
        String ten = IntStream.range(0, 10).mapToObj(i -> "\"sg-" + i + "\"").collect(Collectors.joining(","));
        ConfigFile eni = json("{\"security_group\": \"sg-x\", \"security_groups\": [" + ten + "]}");

        assertThatThrownBy(() -> ConfigLoader.load(List.of(eni), true, Map.of(), KnownPlugins.none()))
                .hasMessageContaining("with security_group there are 11, and an ENI may have 10");
    }

    @Test
    void aTagOfOursCannotBeOverridden() throws IOException {
        DaemonConfig config = ConfigLoader.load(
                List.of(
                        json("{\"eni_tags\": {\"creator\": \"me\", \"cluster\": \"c-0\", \"team\": \"net\"}}"),
                        yaml("cluster: {id: c-1}")),
                true,
                Map.of(),
                KnownPlugins.none());

        assertThat(config.cloud().enis().cluster()).isEqualTo("c-1");
        assertThat(config.warnings())
                .hasSize(2)
                .anySatisfy(warning -> assertThat(warning).contains("'creator' is enipam's own"))
                .anySatisfy(warning -> assertThat(warning).contains("'cluster' is enipam's own"));
    }

    @Test
    void moreTagsThanAnEniMayHaveAreAProblemThatCounts() throws IOException {
        String eighteen = IntStream.range(0, 18)
                .mapToObj(i -> "\"t" + i + "\": \"v\"")
                .collect(Collectors.joining(",", "{\"eni_tags\": {", "}}"));

        assertThat(ConfigLoader.load(List.of(json(eighteen)), true, Map.of(), KnownPlugins.none())
                        .warnings())
                .isEmpty();
        assertThatThrownBy(() -> ConfigLoader.load(
                        List.of(json(eighteen), yaml("cluster: {id: c-1}")), true, Map.of(), KnownPlugins.none()))
                .hasMessageContaining("eni.json: eni_tags: with the 3 tags of enipam's own there are 21, and an ENI may"
                        + " have 20; take 1 away");
    }

    @Test
    void aTagTheCloudWouldRefuseIsNamed() throws IOException {
        ConfigFile eni = json("{\"eni_tags\": {\"acs:x\": \"1\", \"home\": \"http://x\", \"\": \"y\", \"long\": \""
                + "v".repeat(129) + "\"}}");

        ConfigException refusal = catchThrowableOfType(
                ConfigException.class, () -> ConfigLoader.load(List.of(eni), true, Map.of(), KnownPlugins.none()));

        assertThat(refusal.problems().stream().map(ConfigProblem::toString))
                .hasSize(4)
                .anySatisfy(p -> assertThat(p).contains("'acs:x' may not start with"))
                .anySatisfy(p -> assertThat(p).contains("'home' may not contain http://"))
                .anySatisfy(p -> assertThat(p).contains("'' needs 1 to 128 characters"))
                .anySatisfy(p -> assertThat(p).contains("'long' has more than 128"));
    }

    @Test
    void theModeNamesTheFactoryUnlessAFactoryIsNamed() throws IOException {
        ConfigFile only = yaml("daemon: {mode: ENIOnly}");
        DaemonConfig config = ConfigLoader.load(List.of(only), true, Map.of(), KnownPlugins.none());
        assertThat(config.get(Schema.FACTORY)).isEqualTo("eni");
        assertThat(entry(config, "pool.factory").source()).endsWith("enipam.yaml");

        assertThat(ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none())
                        .get(Schema.FACTORY))
                .isEqualTo("eni-ip");
        ConfigFile both = yaml("{daemon: {mode: ENIOnly}, pool: {factory: eni-ip}}");
        assertThat(ConfigLoader.load(List.of(both), true, Map.of(), KnownPlugins.none())
                        .get(Schema.FACTORY))
                .isEqualTo("eni-ip");
    }

    @Test
    void wholeEnisNeedCredentialsAsAddressesDo() throws IOException {
        ConfigFile only = yaml("daemon: {mode: ENIOnly}");
        ConfigFile half = json("{\"access_secret\": \"S\"}");

        assertThatThrownBy(() -> ConfigLoader.load(List.of(only, half), false, Map.of(), KnownPlugins.none()))
                .hasMessageContaining("access_key: not set");
    }

    @Test
    void aModeOfTerwaysThatThisDaemonDoesNotHaveIsRefusedWithThoseItHas() throws IOException {
        ConfigFile trunk = yaml("daemon: {mode: Trunk}");

        assertThatThrownBy(() -> ConfigLoader.load(List.of(trunk), true, Map.of(), KnownPlugins.none()))
                .hasMessageContaining(
                        "daemon.mode: 'Trunk' is not allowed; allowed is one of ENIMultiIP, ENIOnly, VPC");
    }

    @Test
    void addressesOfTheNodesCidrNeedAClusterToSayWhichItIsAndNoCredentials() throws IOException {
        ConfigFile vpc = yaml("daemon: {mode: VPC}");
        ConfigFile half = json("{\"access_secret\": \"S\"}");

        assertThat(ConfigLoader.load(List.of(vpc, half), false, Map.of(), KnownPlugins.none())
                        .get(Schema.FACTORY))
                .isEqualTo("node-cidr");
        assertThatThrownBy(() ->
                        ConfigLoader.load(List.of(vpc), false, Map.of("kubernetes.use", "off"), KnownPlugins.none()))
                .hasMessageContaining("'node-cidr' (daemon.mode VPC)")
                .hasMessageContaining("set it to 'on'");
    }

    @Test
    void ourNameOfASettingWinsOverTerways() throws IOException {
        DaemonConfig config = ConfigLoader.load(
                List.of(yaml("pool: {max_idle: 11}"), json("{\"max_pool_size\": 7}")),
                true,
                Map.of(),
                KnownPlugins.none());

        assertThat(config.engine().watermarks().maxIdle()).isEqualTo(11);
        assertThat(entry(config, "max_pool_size").value()).isEqualTo("11");
    }

    @Test
    void aPodHasTheFamiliesThatIpStackSays() throws IOException {
        DaemonConfig dual = load(json("{\"ip_stack\": \"dual\"}"));
        assertThat(dual.engine().families()).containsExactlyInAnyOrder(Family.IPV4, Family.IPV6);
        assertThat(dual.enis().dual()).isTrue();
        assertThat(dual.ignoredSettings()).isEmpty();

        DaemonConfig single = load(json("{\"ip_stack\": \"ipv4\"}"));
        assertThat(single.engine().families()).containsExactly(Family.IPV4);
        assertThat(single.enis().dual()).isFalse();
    }

    @Test
    void ipStacksThatAreNotDoneAreRefusedInWords() throws IOException {
        assertThat(refusals(json("{\"ip_stack\": \"ipv6\"}")))
                .singleElement()
                .asString()
                .contains("ip_stack: 'ipv6' is not done", "set 'dual'");
        assertThat(refusals(json("{\"ip_stack\": \"dual\"}"), yaml("daemon: {mode: VPC}")))
                .anySatisfy(
                        problem -> assertThat(problem).contains("ip_stack: 'dual'", "node-cidr", "do not go together"));
    }

    private static DaemonConfig load(ConfigFile... files) {
        return ConfigLoader.load(List.of(files), true, Map.of(), KnownPlugins.none());
    }

    private static List<String> refusals(ConfigFile... files) {
        return catchThrowableOfType(ConfigException.class, () -> load(files)).problems().stream()
                .map(ConfigProblem::toString)
                .toList();
    }

    @Test
    void allProblemsOfAllFilesAreReportedAtOnce() throws IOException {
        ConfigFile eni = json("{\"max_pool_size\": -1, \"vswitchs\": {}, \"ip_stack\": \"ipv5\"}");
        ConfigFile yaml = yaml("""
            pool: {min_idel: 3, cool_down: 2h}
            gc: 5m
            log: {level: loud}
            access_key: x
            """);

        ConfigException refusal = catchThrowableOfType(
                ConfigException.class,
                () -> ConfigLoader.load(List.of(eni, yaml), false, Map.of(), KnownPlugins.none()));

        assertThat(refusal.problems().stream().map(ConfigProblem::toString))
                .anySatisfy(p -> assertThat(p)
                        .contains("eni.json: max_pool_size: '-1' is not allowed", "0 to 10000 (addresses)"))
                .anySatisfy(p -> assertThat(p).contains("eni.json: vswitchs: unknown key; did you mean vswitches?"))
                .anySatisfy(p -> assertThat(p).contains("ip_stack: 'ipv5'", "one of ipv4, ipv6, dual"))
                .anySatisfy(p ->
                        assertThat(p).contains("enipam.yaml: pool.min_idel: unknown key; did you mean pool.min_idle?"))
                .anySatisfy(p -> assertThat(p).contains("pool.cool_down: '2h' is not allowed", "0s to 1h"))
                .anySatisfy(p -> assertThat(p).contains("gc: a section"))
                .anySatisfy(p -> assertThat(p).contains("log.level: 'loud'"))
                .anySatisfy(p -> assertThat(p).contains("access_key: unknown key here; it belongs in eni.json"))
                .hasSize(8);
    }

    @Test
    void theCredentialsAreTheKeyElseTheFileElseTheInstancesRole() throws IOException {
        assertThat(cloudOf(KEYS).credentials()).isEqualTo(new CredentialsConfig.Fixed("AK", "SECRET-1"));
        assertThat(cloudOf("{\"access_key\": \"AK\", \"access_secret\": \"S\", \"credential_path\": \"/k\"}")
                        .credentials())
                .isEqualTo(new CredentialsConfig.Fixed("AK", "S"));
        assertThat(cloudOf("{\"credential_path\": \"/k\"}").credentials())
                .isEqualTo(new CredentialsConfig.InFile(Path.of("/k")));
        assertThat(cloudOf("{}").credentials()).isEqualTo(new CredentialsConfig.InstanceRole());
    }

    private AliyunConfig cloudOf(String eniJson) throws IOException {
        return ConfigLoader.load(List.of(json(eniJson)), false, Map.of(), KnownPlugins.none())
                .cloud();
    }

    @Test
    void halfAnAccessKeyIsAProblemThatNamesTheOtherHalf() {
        assertThatThrownBy(() -> cloudOf("{\"access_key\": \"AK\"}"))
                .hasMessageContaining("access_secret: not set, but access_key is");
        assertThatThrownBy(() -> cloudOf("{\"access_secret\": \"hush\"}"))
                .hasMessageContaining("access_key: not set, but access_secret is")
                .hasMessageNotContaining("hush");
    }

    @Test
    void terwaysLimitsAndBackOffsReachTheClient() throws IOException {
        DaemonConfig config = ConfigLoader.load(List.of(json("""
            {"rate_limit": {"AttachNetworkInterface": 30, "": 200, "AttachNetworkInterfac": 7},
             "backoff_override": {
               "eni_ops": {"Duration": 5000000000, "Factor": 2, "Jitter": 0.3, "Steps": 4},
               "eni_ip_ops": {"duration": "250ms", "jitter": 1.3, "cap": "2s"},
               "wait_eni_status": {"Duration": 5000000000}}}
            """)), false, Map.of(), KnownPlugins.none());

        assertThat(config.calls().perMinute())
                .containsEntry("AttachNetworkInterface", 30)
                .containsEntry("", 200);
        assertThat(config.calls().retries())
                .containsEntry(
                        "eni_ops", new Retries(Backoff.doubling(Duration.ofSeconds(5), Duration.ofMinutes(10)), 0.3, 4))
                .containsEntry(
                        "eni_ip_ops",
                        new Retries(new Backoff(Duration.ofMillis(250), Duration.ofSeconds(2), 1, 1, 1), 1, 1));
        assertThat(config.cloud().calls()).isEqualTo(config.calls());
        assertThat(config.warnings())
                .containsExactly("rate_limit: this daemon does not call AttachNetworkInterfac; did you mean"
                        + " AttachNetworkInterface?");
        assertThat(entry(config, "backoff_override").value()).contains("eni_ops=5s x2.0 jitter 0.3 at most 4 times");
        assertThat(entry(config, "rate_limit").doc()).doesNotContain("not acted on yet");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{\"eni_ops\": 5}",
                "{\"eni_ops\": {}}",
                "{\"eni_ops\": {\"Duration\": 0}}",
                "{\"eni_ops\": {\"Duration\": -5}}",
                "{\"eni_ops\": {\"Duration\": \"soon\"}}",
                "{\"eni_ops\": {\"Duration\": \"11m\"}}",
                "{\"eni_ops\": {\"Duration\": 5, \"Factor\": -1}}",
                "{\"eni_ops\": {\"Duration\": 5, \"Steps\": 0}}",
                "{\"eni_ops\": {\"Duration\": 5, \"Stepps\": 3}}"
            })
    void aBackOffThatIsNoneIsAProblemThatSaysWhatOneIs(String value) {
        assertThatThrownBy(() -> cloudOf("{\"backoff_override\": " + value + "}"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("backoff_override")
                .hasMessageContaining("Duration above 0s up to 10m");
    }

    @Test
    void brokenSyntaxIsReportedWithLineAndColumnAndWithoutTheTextAroundIt() throws IOException {
        ConfigFile eni = json("{\n  \"access_secret\": \"hush\",\n  oops\n}");
        ConfigFile yaml = yaml("pool:\n  min_idle: [1\n");

        ConfigException refusal = catchThrowableOfType(
                ConfigException.class,
                () -> ConfigLoader.load(List.of(eni, yaml), true, Map.of(), KnownPlugins.none()));

        assertThat(refusal.problems()).hasSize(2);
        assertThat(refusal.problems().get(0).toString())
                .contains("eni.json: not valid JSON at line 3, column")
                .doesNotContain("hush");
        assertThat(refusal.problems().get(1).toString()).contains("enipam.yaml: not valid YAML at line");
    }

    @Test
    void aKeyThatStandsTwiceIsAProblem() throws IOException {
        ConfigFile eni = json("{\"max_eni\": 1, \"max_eni\": 2}");

        assertThatThrownBy(() -> ConfigLoader.load(List.of(eni), true, Map.of(), KnownPlugins.none()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("max_eni");
    }

    @Test
    void aFileLongerThanOneMebibyteIsRefused() throws IOException {
        ConfigFile yaml = yaml("#" + "x".repeat(ConfigFile.LONGEST));

        assertThatThrownBy(() -> ConfigLoader.load(List.of(yaml), true, Map.of(), KnownPlugins.none()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("longer than 1 MiB");
    }

    @Test
    void aFileNamedOnTheCommandLineMustExistAndAUsualOneNeedNot() {
        Path absent = directory.resolve("absent.yaml");

        assertThatThrownBy(
                        () -> ConfigLoader.load(List.of(ConfigFile.named(absent)), true, Map.of(), KnownPlugins.none()))
                .hasMessageContaining("absent.yaml: there is no such file");
        assertThat(ConfigLoader.load(
                                List.of(ConfigFile.usual(absent, SettingsFile.ENIPAM_YAML)),
                                true,
                                Map.of(),
                                KnownPlugins.none())
                        .warnings())
                .isEmpty();
    }

    @Test
    void anEmptyFileSetsNothing() throws IOException {
        assertThat(ConfigLoader.load(List.of(yaml("# nothing\n")), true, Map.of(), KnownPlugins.none())
                        .engine()
                        .watermarks()
                        .minIdle())
                .isEqualTo(2);
    }

    @Test
    void aLowerWatermarkAboveTheUpperOneRaisesItWithAWarning() throws IOException {
        DaemonConfig config =
                ConfigLoader.load(List.of(yaml("pool: {min_idle: 8}")), true, Map.of(), KnownPlugins.none());

        assertThat(config.engine().watermarks().maxIdle()).isEqualTo(8);
        assertThat(config.warnings()).singleElement().asString().contains("pool.max_idle is raised to 8");
    }

    @Test
    void aWatermarkAboveTheCapacityIsCutWithAWarning() throws IOException {
        DaemonConfig config = ConfigLoader.load(
                List.of(yaml("pool: {capacity: 4, max_idle: 50}")), true, Map.of(), KnownPlugins.none());

        assertThat(config.engine().watermarks().maxIdle()).isEqualTo(4);
        assertThat(config.warnings()).singleElement().asString().contains("50", "pool.capacity 4");
    }

    @Test
    void secretsAreShownNowhere() throws IOException {
        DaemonConfig config = ConfigLoader.load(List.of(json(KEYS)), false, Map.of(), KnownPlugins.none());

        assertThat(entry(config, "access_secret").value()).isEqualTo("***");
        assertThat(entry(config, "access_key").value()).isEqualTo("***");
        assertThat(config.entries().toString()).doesNotContain("SECRET-1");

        ConfigFile bad = json("{\"access_key\": \"AK\", \"access_secret\": [\"SECRET-1\"]}");
        assertThatThrownBy(() -> ConfigLoader.load(List.of(bad), false, Map.of(), KnownPlugins.none()))
                .hasMessageContaining("access_secret: '***' is not allowed")
                .hasMessageNotContaining("SECRET-1");
    }

    @Test
    void theCommandLineWinsOverTheFiles() throws IOException {
        DaemonConfig config = ConfigLoader.load(
                List.of(yaml("log: {level: warn}")), true, Map.of("log.level", "trace"), KnownPlugins.none());

        assertThat(config.get(Schema.LOG_LEVEL)).isEqualTo("trace");
        assertThat(entry(config, "log.level").source()).isEqualTo("command line");
    }

    @Test
    void everySettingSaysWhatItMeansAndWhatIsAllowedAndEveryDefaultIsShown() {
        DaemonConfig config = ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none());

        List<Setting<?>> ofNodes =
                Schema.ALL.stream().filter(setting -> setting.isOf(Role.NODE)).toList();
        assertThat(config.entries()).hasSameSizeAs(ofNodes).allSatisfy(entry -> {
            assertThat(entry.doc()).contains("Allowed: ");
            assertThat(entry.source()).isEqualTo("default");
        });
        assertThat(config.entries().stream().map(DaemonConfig.Entry::key)).doesNotHaveDuplicates();
        assertThat(entry(config, "gc.interval").value()).isEqualTo("5m");
    }

    @Test
    void eachRoleHasSettingsOfItsOwnAndRefusesThoseOfTheOther() throws IOException {
        Map<String, String> cluster = Map.of("daemon.role", "cluster");
        DaemonConfig config = ConfigLoader.load(
                List.of(
                        yaml(
                                "{node: {name: a}, cluster: {etcd: {endpoints: ['https://a:2379'], user: u, password_file: /p}}}")),
                false,
                cluster,
                KnownPlugins.none());
        assertThat(config.role()).isEqualTo(Role.CLUSTER);
        assertThat(config.usesEtcd()).isTrue();
        assertThat(config.cluster().perSecond())
                .as("5,000 nodes are patched within 5 s")
                .isGreaterThan(1_000);
        assertThat(entry(config, "kubernetes.requests_per_second").source()).isEqualTo("default");
        assertThat(ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none())
                        .cluster()
                        .perSecond())
                .isEqualTo(20);
        assertThat(config.entries())
                .extracting(DaemonConfig.Entry::key)
                .contains(
                        "cluster.etcd.endpoints",
                        "extensions",
                        "log.level",
                        "cloud.endpoint",
                        "credential_path",
                        "rate_limit")
                .doesNotContain("pool.min_idle", "sockets.cni", "vswitches");

        assertThatThrownBy(() -> ConfigLoader.load(
                        List.of(yaml("{pool: {min_idle: 1}, cluster: {leader: etcd, etcd: {user: u}}}")),
                        false,
                        cluster,
                        KnownPlugins.none()))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        e -> assertThat(e.problems())
                                .hasSize(3)
                                .anyMatch(problem -> problem.message()
                                        .startsWith("pool.min_idle: is no setting of a daemon of role cluster"))
                                .anyMatch(problem -> problem.message().startsWith("cluster.leader: 'etcd' needs"))
                                .anyMatch(problem -> problem.message()
                                        .startsWith("cluster.etcd.user: needs cluster.etcd.password_file")));
        assertThatThrownBy(() -> ConfigLoader.load(
                        List.of(yaml("{cluster: {leader: none}}")), false, Map.of(), KnownPlugins.none()))
                .hasMessageContaining(
                        "cluster.leader: is no setting of a daemon of role node; it needs --role cluster");
        assertThatThrownBy(() -> ConfigLoader.load(
                        List.of(yaml("{daemon: {role: cluster}}")), false, Map.of(), KnownPlugins.none()))
                .hasMessageContaining("daemon.role: a file cannot set it");
    }

    private static DaemonConfig.Entry entry(DaemonConfig config, String key) {
        return config.entries().stream()
                .filter(e -> e.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private ConfigFile json(String text) throws IOException {
        return ConfigFile.usual(Files.writeString(directory.resolve("eni.json"), text), SettingsFile.ENI_JSON);
    }

    private ConfigFile yaml(String text) throws IOException {
        return ConfigFile.usual(Files.writeString(directory.resolve("enipam.yaml"), text), SettingsFile.ENIPAM_YAML);
    }
}

package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.sdk.CniService.CniAnswer;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases of the acceptance table. What a call says and is told: variables, configurations, versions and results. */
class CallCasesTest extends Cases {
    private static final String ROUTE = ",'routes':[{'dst':'0.0.0.0/0'}]";

    @ParameterizedTest
    @EnumSource(By.class)
    void a1WithoutACommandItTellsWhatItIs(By by) {
        by(by);
        CniAnswer about = plugin.call(Map.of(), "");
        assertThat(about.status()).isZero();
        assertThat(about.stdout()).isEmpty();
        assertThat(about.stderr()).contains("CNI host-local plugin");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a2VersionNeedsNoConfiguration(By by) {
        by(by);
        for (String conf : List.of("", "{\"cniVersion\":\"0.4.0\"}")) {
            JsonNode versions = Callers.json(plugin.call(Map.of("CNI_COMMAND", "VERSION"), conf));
            assertThat(versions.get("supportedVersions").toString())
                    .startsWith("[\"0.1.0\",\"0.2.0\",\"0.3.0\",\"0.3.1\",\"0.4.0\",\"1.0.0\"");
        }
        JsonNode ours =
                Callers.json(Callers.ours(store).call(Map.of("CNI_COMMAND", "VERSION"), "{\"cniVersion\":\"0.4.0\"}"));
        assertThat(ours.get("cniVersion").asText()).isEqualTo("0.4.0");
        assertThat(ours.get("supportedVersions").toString()).endsWith("\"1.1.0\"]");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a4AnotherAddOfTheSameInterfaceIsRefused(By by) {
        by(by);
        assertThat(add("c1", base())).containsExactly("10.1.2.2/24");
        assertThat(refused(plugin.call("ADD", "c1", base())))
                .isEqualTo("999 failed to allocate for range 0: 10.1.2.2 has been allocated to c1,"
                        + " duplicate allocation is not allowed");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a5AndA8EachInterfaceHasItsOwnAddress(By by) {
        by(by);
        add("c1", base());
        assertThat(ips(plugin.call("ADD", "c1", "eth1", "", base()))).containsExactly("10.1.2.3/24");
        silent(plugin.call("DEL", "c1", base()));
        assertThat(files()).containsOnlyKeys("10.1.2.3", "last_reserved_ip.0");
        assertThat(refused(plugin.call("CHECK", "c1", base())))
                .isEqualTo("999 host-local: Failed to find address added by container c1");
        silent(plugin.call("CHECK", "c1", "eth1", "", base()));
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a7ADelIsDoneHoweverOftenItComes(By by) {
        by(by);
        add("c1", base());
        for (String container : List.of("c1", "c1", "never-added")) {
            silent(plugin.call("DEL", container, base()));
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a10AnAddressThatWasGivenBackComesLast(By by) {
        by(by);
        for (int end = 2; end <= 4; end++) {
            assertThat(add("c1", base())).containsExactly("10.1.2." + end + "/24");
            silent(plugin.call("DEL", "c1", base()));
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a11AndA13WhatIsWrongWithTheVariablesIsSaid(By by) {
        by(by);
        assertThat(refused(plugin.call("FOO", "c1", base()))).isEqualTo("4 unknown CNI_COMMAND: FOO");
        CniAnswer bad = plugin.call("ADD", "-bad_id", base());
        assertThat(refused(bad)).isEqualTo("4 invalid characters in containerID");
        assertThat(Callers.json(bad).get("details").asText()).isEqualTo("-bad_id");
        assertThat(refused(plugin.call("ADD", "c1", "abcdefghijklmnopq", "", base())))
                .isEqualTo("4 interface name is too long");
        assertThat(refused(plugin.call("ADD", "c1", "a/b", "", base())))
                .isEqualTo("4 interface name contains / or : or whitespace characters");
        assertThat(refused(plugin.call(Map.of("CNI_COMMAND", "ADD"), base())))
                .isEqualTo("4 required env variables [CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME,CNI_PATH] missing");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a14AndA16WhatIsNoConfigurationIsSaid(By by) {
        by(by);
        for (String text : List.of("{", "")) {
            assertThat(refused(plugin.call("ADD", "c1", text)))
                    .isEqualTo("6 error unmarshall network config: unexpected end of JSON input");
        }
        assertThat(refused(plugin.call("ADD", "c1", "{}"))).isEqualTo("7 missing network name");
        Map<String, String> kinds = Map.of("5", "number", "true", "bool", "[]", "array", "{}", "object");
        kinds.forEach((written, kind) -> assertThat(refused(plugin.call("ADD", "c1", "{\"name\":" + written + "}")))
                .isEqualTo("6 error unmarshall network config: json: cannot unmarshal " + kind
                        + " into Go struct field .name of type string"));
        CniAnswer unknown = plugin.call("ADD", "c1", conf("abc", "'subnet':'10.1.2.0/24'", ""));
        assertThat(refused(unknown)).isEqualTo("1 incompatible CNI versions");
        assertThat(Callers.json(unknown).get("details").asText())
                .startsWith("config is \"abc\", plugin supports [\"0.1.0\" \"0.2.0\"");
        assertThat(ips(Callers.ours(store).call("ADD", "c1", conf("1.1.0", "'subnet':'10.1.2.0/24'", ""))))
                .containsExactly("10.1.2.2/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a17WithoutRangesThereIsNothingToDo(By by) {
        by(by);
        for (String command : List.of("ADD", "DEL")) {
            assertThat(refused(plugin.call(command, "c1", "{\"cniVersion\":\"1.0.0\",\"name\":\"mynet\"}")))
                    .isEqualTo("999 IPAM config missing 'ipam' key");
            assertThat(refused(plugin.call(command, "c1", conf("")))).isEqualTo("999 no IP ranges specified");
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a19TheResultIsInTheConfigurationsVersion(By by) {
        by(by);
        int end = 2;
        for (String version : List.of("0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0")) {
            JsonNode result =
                    Callers.json(plugin.call("ADD", "c" + end, conf(version, "'subnet':'10.1.2.0/24'" + ROUTE, "")));
            String ip = "10.1.2." + end++ + "/24";
            String expected = version.compareTo("0.3") < 0
                    ? "{'cniVersion':'V','ip4':{'ip':'IP','gateway':'10.1.2.1','routes':[{'dst':'0.0.0.0/0'}]},'dns':{}}"
                    : "{'cniVersion':'V','ips':[{"
                            + (version.compareTo("1.0") < 0 ? "'version':'4'," : "")
                            + "'address':'IP','gateway':'10.1.2.1'}],'routes':[{'dst':'0.0.0.0/0'}],'dns':{}}";
            assertThat(result)
                    .hasToString(expected.replace("IP", ip)
                            .replace("'V'", "'" + version + "'")
                            .replace('\'', '"'));
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a20CheckCameWith040(By by) {
        by(by);
        assertThat(refused(plugin.call("CHECK", "c1", conf("0.3.1", "'subnet':'10.1.2.0/24'", ""))))
                .isEqualTo("1 config version does not allow CHECK");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a22PrevResultAndDnsOfTheNetworkAreLeftOut(By by) {
        by(by);
        CniAnswer result = plugin.call(
                "ADD",
                "c1",
                conf(
                        "1.0.0",
                        "'subnet':'10.1.2.0/24'",
                        ",'dns':{'nameservers':['1.1.1.1']},'prevResult':{'cniVersion':'1.0.0','ips':[{'address':'9.9.9.9/8'}]}"));
        assertThat(result.stdout())
                .isEqualTo("{\n    \"cniVersion\": \"1.0.0\",\n    \"ips\": [\n        {\n"
                        + "            \"address\": \"10.1.2.2/24\",\n            \"gateway\": \"10.1.2.1\"\n"
                        + "        }\n    ],\n    \"dns\": {}\n}");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a23ALongConfigurationIsRead(By by) {
        by(by);
        assertThat(add("c1", conf("1.0.0", "'subnet':'10.1.2.0/24'", ",'x':'" + "y".repeat(5_000_000) + "'")))
                .containsExactly("10.1.2.2/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void a25WhatIsNoAddressIsSaid(By by) {
        by(by);
        Map<String, String> wrong = Map.of(
                "'subnet':5",
                        "999 json: cannot unmarshal number into Go struct field IPAMConfig.ipam.subnet of type string",
                "'subnet':'10.1.2.0/24','routes':[{'dst':'bad'}]", "999 invalid CIDR address: bad",
                "'subnet':'foo'", "999 invalid CIDR address: foo",
                "'subnet':'10.1.2.0/24','gateway':'foo'", "999 invalid IP address: foo");
        wrong.forEach((ipam, why) ->
                assertThat(refused(plugin.call("ADD", "c1", conf(ipam)))).isEqualTo(why));
        for (String key : List.of("dataDir", "resolvConf")) {
            String conf = conf("'subnet':'10.1.2.0/24','" + key + "':'/none/a\\u0000b'");
            assertThat(refused(plugin.call("ADD", "c1", conf)))
                    .isEqualTo("999 " + (key.equals("dataDir") ? "mkdir" : "open") + " /none/a\0b: invalid argument");
        }
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void a26BlanksAroundAContainersIdAreNotPartOfIt(By by) throws Exception {
        by(by);
        assertThat(new Owner("  dummy ", "eth0").text()).isEqualTo("dummy\r\neth0");
        Files.createDirectories(data.resolve("mynet"));
        Files.writeString(data.resolve("mynet/10.1.2.5"), " dummy\r\neth0\n");
        silent(plugin.call("DEL", "dummy", base()));
        assertThat(files()).isEmpty();
    }
}

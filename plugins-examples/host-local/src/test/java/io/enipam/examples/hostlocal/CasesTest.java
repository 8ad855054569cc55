package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.examples.hostlocal.Callers.Caller;
import io.enipam.sdk.CniService.CniAnswer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The cases of the acceptance table, each with its row's name: by Debian's plugin, by this one, and by both in turn on one directory, so
 * that what is expected is known to be what the Go plugin does.
 */
class CasesTest {
    private static final String ROUTE = ",'routes':[{'dst':'0.0.0.0/0'}]";

    @TempDir
    Path data;

    private final FileStore store = new FileStore();
    private Caller plugin = Callers.ours(store);

    enum By {
        DEBIANS,
        OURS,
        BOTH
    }

    private void by(By by) {
        assumeFalse(by != By.OURS && Callers.debiansIsMissing(), Callers.MISSING);
        plugin = switch (by) {
            case DEBIANS -> Callers.debians();
            case OURS -> Callers.ours(store);
            case BOTH -> Callers.alternating(Callers.ours(store), Callers.debians());
        };
    }

    @AfterEach
    void close() {
        store.close();
    }

    private String conf(String version, String ipam, String more) {
        return ("{'cniVersion':'" + version + "','name':'mynet','ipam':{'type':'host-local','dataDir':'" + data + "'"
                        + (ipam.isEmpty() ? "" : ",") + ipam + "}" + more + "}")
                .replace('\'', '"');
    }

    private String conf(String ipam) {
        return conf("1.0.0", ipam, "");
    }

    private String base() {
        return conf("'subnet':'10.1.2.0/24'");
    }

    private static String asked(String... ips) {
        return ",'args':{'cni':{'ips':['" + String.join("','", ips) + "']}}";
    }

    private static List<String> ips(CniAnswer answer) {
        assertThat(answer.status()).as(answer.stdout()).isZero();
        List<String> ips = new ArrayList<>();
        Callers.json(answer).get("ips").forEach(ip -> ips.add(ip.get("address").asText()));
        return ips;
    }

    private List<String> add(String container, String conf) {
        return ips(plugin.call("ADD", container, conf));
    }

    /** Code and message. */
    private static String refused(CniAnswer answer) {
        assertThat(answer.status()).as(answer.stdout()).isEqualTo(1);
        JsonNode error = Callers.json(answer);
        return error.get("code").asInt() + " " + error.get("msg").asText();
    }

    private static void silent(CniAnswer answer) {
        assertThat(answer.status()).as(answer.stdout()).isZero();
        assertThat(answer.stdout()).isEmpty();
    }

    private Map<String, String> files() {
        Map<String, String> files = new TreeMap<>(Callers.files(data.resolve("mynet")));
        files.remove("lock");
        return files;
    }

    private void lastReserved(String text) throws IOException {
        Files.createDirectories(data.resolve("mynet"));
        Files.writeString(data.resolve("mynet/last_reserved_ip.0"), text);
    }

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
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b1DualStackWithRoutesAndResolvConf(By by) throws IOException {
        by(by);
        Path resolv = Files.writeString(data.resolve("resolv.conf"), "nameserver 192.0.2.3\n");
        String conf =
                conf("'resolvConf':'" + resolv + "','ranges':[[{'subnet':'10.1.2.0/24'},{'subnet':'10.2.2.0/24'}],"
                        + "[{'subnet':'2001:db8:1::0/64'}]],'routes':[{'dst':'0.0.0.0/0'},{'dst':'::/0'},"
                        + "{'dst':'192.168.0.0/16','gw':'1.1.1.1'},{'dst':'2001:DB8:2::0/64','gw':'2001:db8:3::1'}]");
        JsonNode result = Callers.json(plugin.call("ADD", "c1", conf));
        assertThat(result.toString().replace('"', '\''))
                .isEqualTo("{'cniVersion':'1.0.0','ips':[{'address':'10.1.2.2/24','gateway':'10.1.2.1'},"
                        + "{'address':'2001:db8:1::2/64','gateway':'2001:db8:1::1'}],'routes':[{'dst':'0.0.0.0/0'},"
                        + "{'dst':'::/0'},{'dst':'192.168.0.0/16','gw':'1.1.1.1'},"
                        + "{'dst':'2001:db8:2::/64','gw':'2001:db8:3::1'}],'dns':{'nameservers':['192.0.2.3']}}");
        assertThat(files())
                .isEqualTo(Map.of(
                        "10.1.2.2", "c1\r\neth0",
                        "2001:db8:1::2", "c1\r\neth0",
                        "last_reserved_ip.0", "10.1.2.2",
                        "last_reserved_ip.1", "2001:db8:1::2"));
        silent(plugin.call("DEL", "c1", conf));
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0", "last_reserved_ip.1");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b2AndB5ARangeIsUsedUpInTurnFromTheLastAddressOn(By by) throws IOException {
        by(by);
        lastReserved("192.168.1.3");
        String conf = conf("'subnet':'192.168.1.0/29'");
        for (String end : "4 5 6 2 3".split(" ")) {
            assertThat(add("c" + end, conf)).containsExactly("192.168.1." + end + "/29");
        }
        assertThat(refused(plugin.call("ADD", "c9", conf)))
                .isEqualTo("999 failed to allocate for range 0: no IP addresses available in range set:"
                        + " 192.168.1.1-192.168.1.6");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b4AndB8TheRangesOfASetFollowEachOther(By by) {
        by(by);
        String conf = conf("'ranges':[[{'subnet':'10.0.0.0/30'},{'subnet':'10.0.1.0/30'}]]");
        assertThat(add("c1", conf)).containsExactly("10.0.0.2/30");
        assertThat(add("c2", conf)).containsExactly("10.0.1.2/30");
        assertThat(refused(plugin.call("ADD", "c3", conf)))
                .endsWith("no IP addresses available in range set: 10.0.0.1-10.0.0.2,10.0.1.1-10.0.1.2");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b7AndB10TheGatewayIsNoContainers(By by) {
        by(by);
        String conf =
                conf("'subnet':'10.1.2.0/24','rangeStart':'10.1.2.9','rangeEnd':'10.1.2.11','gateway':'10.1.2.10'");
        assertThat(add("c1", conf)).containsExactly("10.1.2.9/24");
        assertThat(add("c2", conf)).containsExactly("10.1.2.11/24");
        assertThat(refused(plugin.call("ADD", "c3", conf))).contains("no IP addresses available");
        assertThat(add("c4", conf("'subnet':'10.0.0.0/30'"))).containsExactly("10.0.0.2/30");
        assertThat(refused(plugin.call("ADD", "c5", conf("'subnet':'10.0.0.0/30'"))))
                .endsWith("no IP addresses available in range set: 10.0.0.1-10.0.0.2");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b11AGatewayMayBeOutsideOfItsSubnet(By by) {
        by(by);
        assertThat(add("c1", conf("'subnet':'10.1.2.0/24','gateway':'192.168.0.1'")))
                .containsExactly("10.1.2.1/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b13ALastAddressThatIsNoneOrTheRangesLastBeginsAnew(By by) throws IOException {
        by(by);
        for (String last : List.of("10.1.2.254", "garbage", "10.1.2.7\n")) {
            lastReserved(last);
            assertThat(add("c1", base())).as(last).containsExactly("10.1.2.2/24");
            silent(plugin.call("DEL", "c1", base()));
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b14TheLastAddressItselfIsTriedLast(By by) throws IOException {
        by(by);
        lastReserved("10.0.0.3");
        for (String end : "2 4 5 6".split(" ")) {
            Files.writeString(data.resolve("mynet/10.0.0." + end), "other\r\neth0");
        }
        assertThat(add("c1", conf("'subnet':'10.0.0.0/29'"))).containsExactly("10.0.0.3/29");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b16AFileHasTheCanonicalNameOfItsAddress(By by) {
        by(by);
        add("c1", conf("'subnet':'2001:0db8:0000:0000::/64','rangeStart':'2001:0DB8::00AB'"));
        assertThat(files()).containsKeys("2001:db8::ab");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b17OneSubnetMayBeSplit(By by) {
        by(by);
        assertThat(add(
                        "c1",
                        conf("'ranges':[[{'subnet':'10.0.0.0/24','rangeEnd':'10.0.0.127'}],"
                                + "[{'subnet':'10.0.0.0/24','rangeStart':'10.0.0.128'}]]")))
                .containsExactly("10.0.0.2/24", "10.0.0.128/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b19RangesOfTheRuntimeComeFirstThenTheOldStyleThenTheSets(By by) {
        by(by);
        String ipam = "'subnet':'10.1.2.0/24','ranges':[[{'subnet':'11.1.2.0/24'}]]";
        assertThat(add("c1", conf(ipam))).containsExactly("10.1.2.2/24", "11.1.2.2/24");
        assertThat(add("c2", conf("1.0.0", ipam, ",'runtimeConfig':{'ipRanges':[[{'subnet':'12.1.3.0/24'}]]}"))
                        .get(0))
                .isEqualTo("12.1.3.2/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void b25AndB26SetsThatCannotBeAreRefused(By by) {
        by(by);
        Map<String, String> wrong = Map.of(
                "[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.2.0/24'}]]", "range set 0 overlaps with 1",
                "[[{'subnet':'10.1.0.0/22'},{'subnet':'10.1.2.0/24'}]]",
                        "invalid range set 0: subnets 10.1.0.1-10.1.3.254 and 10.1.2.1-10.1.2.254 overlap",
                "[[{'subnet':'10.1.0.0/22'},{'subnet':'fd00::/64'}]]", "invalid range set 0: mixed address families",
                "[[]]", "invalid range set 0: empty range set",
                "[[{'rangeStart':'10.1.2.3'}]]", "invalid range set 0: IP <nil> not v4 nor v6",
                "[[{'subnet':'10.1.2.0/31'}]]", "invalid range set 0: Network 10.1.2.0/31 too small to allocate from",
                "[[{'subnet':'10.1.2.7/24'}]]",
                        "invalid range set 0: Network has host bits set. For a subnet mask of length 24 the network"
                                + " address is 10.1.2.0",
                "[[{'subnet':'10.1.2.0/24','rangeStart':'10.1.3.1'}]]",
                        "invalid range set 0: RangeStart 10.1.3.1 not in network 10.1.2.0/24",
                "[[{'subnet':'10.1.2.0/24','rangeEnd':'10.1.3.1'}]]",
                        "invalid range set 0: RangeEnd 10.1.3.1 not in network 10.1.2.0/24");
        wrong.forEach((ranges, why) -> assertThat(refused(plugin.call("ADD", "c1", conf("'ranges':" + ranges))))
                .isEqualTo("999 " + why));
        assertThat(refused(plugin.call(
                        "ADD",
                        "c1",
                        conf("0.2.0", "'ranges':[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.3.0/24'}]]", ""))))
                .isEqualTo("999 CNI version 0.2.0 does not support more than 1 address per family");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c1AndC2AnAddressThatIsAskedForIsGivenOnce(By by) {
        by(by);
        assertThat(ips(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.88", base())))
                .containsExactly("10.1.2.88/24");
        assertThat(refused(plugin.call("ADD", "c2", "eth0", "IP=10.1.2.88", base())))
                .isEqualTo(
                        "999 failed to allocate for range 0: requested IP address 10.1.2.88 is not available in range"
                                + " set 10.1.2.1-10.1.2.254");
        assertThat(ips(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.90", base())))
                .containsExactly("10.1.2.90/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c4AndC5WhatNoContainerCanHaveIsRefused(By by) {
        by(by);
        assertThat(refused(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.1", base())))
                .isEqualTo("999 failed to allocate for range 0: requested ip 10.1.2.1 is subnet's gateway");
        for (String ip : List.of("10.9.9.9", "10.1.2.255", "10.1.2.0")) {
            assertThat(refused(plugin.call("ADD", "c1", "eth0", "IP=" + ip, base())))
                    .isEqualTo("999 failed to allocate all requested IPs: " + ip);
        }
        assertThat(files()).isEqualTo(Map.of("last_reserved_ip.0", "10.1.2.4"));
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c7ArgumentsOfTheCall(By by) {
        by(by);
        Map<String, String> wrong = Map.of(
                "FOO=BAR", "ARGS: unknown args [\"FOO=BAR\"]",
                "FOO", "ARGS: invalid pair \"FOO\"",
                "IP=foo", "ARGS: error parsing value of pair \"IP=foo\": invalid IP address foo",
                "ip=10.1.2.9", "ARGS: unknown args [\"ip=10.1.2.9\"]",
                "IP=10.1.2.9;", "ARGS: invalid pair \"\"",
                "IgnoreUnknown=x",
                        "ARGS: error parsing value of pair \"IgnoreUnknown=x\": boolean unmarshal error: invalid input"
                                + " x");
        wrong.forEach((args, why) -> assertThat(refused(plugin.call("ADD", "c1", "eth0", args, base())))
                .isEqualTo("999 " + why));
        assertThat(ips(plugin.call("ADD", "c1", "eth0", "FOO=BAR;IgnoreUnknown=1", base())))
                .containsExactly("10.1.2.2/24");
        assertThat(ips(plugin.call("ADD", "c2", "eth0", "IP=", base()))).containsExactly("10.1.2.3/24");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c8AndC10AddressesAskedForInTheConfiguration(By by) {
        by(by);
        assertThat(add("c1", conf("1.0.0", "'subnet':'10.1.2.0/24'", asked("10.1.2.88"))))
                .containsExactly("10.1.2.88/24");
        String dual = "'ranges':[[{'subnet':'172.16.1.0/24'},{'subnet':'10.1.4.0/24'}],[{'subnet':'2001:db8:1::/48'}]]";
        assertThat(add("c2", conf("1.0.0", dual, asked("10.1.4.88", "2001:db8:1::999"))))
                .containsExactly("10.1.4.88/24", "2001:db8:1::999/48");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c11AnAddressThatIsLeftOverFailsTheAdd(By by) {
        by(by);
        String conf = conf(
                "1.0.0",
                "'ranges':[[{'subnet':'10.1.2.0/24'},{'subnet':'10.1.3.0/24'}]]",
                asked("10.1.2.88", "10.1.2.77"));
        assertThat(refused(plugin.call("ADD", "c1", conf)))
                .startsWith("999 failed to allocate all requested IPs: 10.1.2.");
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c13AndC14AllThreeSourcesCount(By by) {
        by(by);
        String sets = "'ranges':[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.3.0/24'}],[{'subnet':'10.1.4.0/24'}]]";
        String conf = conf("1.0.0", sets, asked("10.1.3.30") + ",'runtimeConfig':{'ips':['10.1.4.40/24']}");
        assertThat(ips(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.20", conf)))
                .containsExactly("10.1.2.20/24", "10.1.3.30/24", "10.1.4.40/24");
        String same =
                conf("1.0.0", "'subnet':'10.1.5.0/24'", asked("10.1.5.5") + ",'runtimeConfig':{'ips':['10.1.5.5']}");
        assertThat(ips(plugin.call("ADD", "c2", "eth0", "IP=10.1.5.5", same))).containsExactly("10.1.5.5/24");
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void c16AnAddThatFailsUndoesWhatItTookAndNothingElse(By by) {
        by(by);
        String sets = "'ranges':[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.3.0/24'}]]";
        add("c1", conf(sets));
        assertThat(refused(plugin.call("ADD", "c1", "eth0", "IP=10.1.2.50", conf(sets))))
                .startsWith("999 failed to allocate for range 1: 10.1.3.2 has been allocated to c1");
        assertThat(files())
                .containsOnlyKeys("10.1.2.2", "10.1.3.2", "last_reserved_ip.0", "last_reserved_ip.1")
                .containsEntry("last_reserved_ip.0", "10.1.2.50");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void c17AFullSecondSetUndoesTheFirst(By by) {
        by(by);
        String sets = "'ranges':[[{'subnet':'10.1.2.0/24'}],[{'subnet':'10.1.3.0/30'}]]";
        add("c1", conf(sets));
        assertThat(refused(plugin.call("ADD", "c2", conf(sets))))
                .startsWith("999 failed to allocate for range 1: no IP");
        assertThat(files()).containsOnlyKeys("10.1.2.2", "10.1.3.2", "last_reserved_ip.0", "last_reserved_ip.1");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d2NetworksKnowNothingOfEachOther(By by) {
        by(by);
        add("c1", base());
        add("c1", base().replace("mynet", "other"));
        silent(plugin.call("DEL", "c1", base()));
        assertThat(Callers.files(data.resolve("other"))).containsKey("10.1.2.2");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d3ADelFreesWhateverTheRangesAre(By by) {
        by(by);
        add("c1", base());
        silent(plugin.call("DEL", "c1", conf("'subnet':'10.7.0.0/24'")));
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d4FilesOfHostLocalBeforeInterfacesWereInThemAreCheckedAndReleased(By by) throws IOException {
        by(by);
        lastReserved("10.1.2.7");
        Files.writeString(data.resolve("mynet/10.1.2.7"), "c1");
        silent(plugin.call("CHECK", "c1", base()));
        assertThat(refused(plugin.call("ADD", "c1", base()))).contains("10.1.2.7 has been allocated to c1");
        silent(plugin.call("DEL", "c1", "eth1", "", base()));
        assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d6AndD8SixtyCallersAtOnceGetSixtyAddresses(By by) throws Exception {
        assumeFalse(by != By.OURS && Callers.debiansIsMissing(), Callers.MISSING);
        Caller ours = Callers.ours(store);
        Caller debians = Callers.debians();
        ExecutorService threads = Executors.newFixedThreadPool(12);
        try {
            for (String command : List.of("ADD", "DEL")) {
                List<Callable<CniAnswer>> work = new ArrayList<>();
                for (int i = 0; i < 60; i++) {
                    Caller caller = by == By.OURS || by == By.BOTH && i % 2 == 0 ? ours : debians;
                    String container = "c" + (command.equals("ADD") ? i : 59 - i);
                    work.add(() -> caller.call(command, container, base()));
                }
                List<String> given = new ArrayList<>();
                for (Future<CniAnswer> done : threads.invokeAll(work)) {
                    assertThat(done.get().status()).as(done.get().stdout()).isZero();
                    if (command.equals("ADD")) {
                        given.addAll(ips(done.get()));
                    }
                }
                assertThat(given).doesNotHaveDuplicates().hasSize(command.equals("ADD") ? 60 : 0);
                assertThat(files()).hasSize(given.size() + 1).containsEntry("last_reserved_ip.0", "10.1.2.61");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d9EachChecksAndReleasesWhatTheOtherGave(By by) {
        by(by);
        for (int i = 0; i < 2; i++) {
            add("c1", base());
            silent(plugin.call("CHECK", "c1", base()));
            silent(plugin.call("CHECK", "c1", base()));
            silent(plugin.call("DEL", "c1", base()));
            silent(plugin.call("DEL", "other", base()));
            assertThat(files()).containsOnlyKeys("last_reserved_ip.0");
        }
    }

    @ParameterizedTest
    @EnumSource(By.class)
    void d11AndD12ResolvConfIsRead(By by) throws IOException {
        by(by);
        Map<String, String> files = Map.of(
                "nameserver 192.0.2.0\nnameserver 192.0.2.1\n",
                "{'nameservers':['192.0.2.0','192.0.2.1']}",
                "nameserver 192.0.2.0\n;nameserver 192.0.2.1\n",
                "{'nameservers':['192.0.2.0']}",
                "nameserver 192.0.2.0\nnameserver 192.0.2.2\ndomain example.com\nsearch example.net example.org\n"
                        + "search example.gov\noptions one two\noptions three four\nnothing\n",
                "{'nameservers':['192.0.2.0','192.0.2.2'],'domain':'example.com','search':['example.net',"
                        + "'example.org','example.gov'],'options':['one','two','three','four']}");
        Path resolv = data.resolve("resolv.conf");
        int number = 0;
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(resolv, file.getKey());
            JsonNode dns = Callers.json(plugin.call(
                            "ADD", "c" + number++, conf("'subnet':'10.1.2.0/24','resolvConf':'" + resolv + "'")))
                    .get("dns");
            assertThat(dns).hasToString(file.getValue().replace('\'', '"'));
        }
        assertThat(refused(plugin.call("ADD", "c9", conf("'subnet':'10.1.2.0/24','resolvConf':'/nonexistent'"))))
                .isEqualTo("999 open /nonexistent: no such file or directory");
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void e2AndE3GcAndStatusCameWith110(By by) {
        by(by);
        for (String command : List.of("GC", "STATUS")) {
            assertThat(refused(plugin.call(command, "", base())))
                    .isEqualTo("1 config version does not allow " + command);
        }
        String conf = conf("1.1.0", "'subnet':'10.0.0.0/30'", "");
        silent(plugin.call("STATUS", "", conf));
        add("c1", conf);
        assertThat(refused(plugin.call("STATUS", "", conf)))
                .isEqualTo("50 no IP addresses available in range set: 10.0.0.1-10.0.0.2");
        assertThat(refused(plugin.call("STATUS", "", conf("1.1.0", "", "")))).isEqualTo("50 no IP ranges specified");
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void gcEndsWhatIsNotValidAndNothingWithoutAList(By by) throws IOException {
        by(by);
        String conf = conf("1.1.0", "'subnet':'10.1.2.0/24'", "");
        for (String container : List.of("c1", "c2", "c3")) {
            add(container, conf);
        }
        Files.writeString(data.resolve("mynet/10.1.2.9"), "c1");
        Files.writeString(data.resolve("mynet/10.1.2.10"), "old");
        Files.writeString(data.resolve("mynet/10.1.2.11"), Owner.reserved().text());
        silent(plugin.call("GC", "", conf));
        assertThat(files()).hasSize(7);
        String valid = ",'cni.dev/valid-attachments':[{'containerID':'c1','ifname':'eth0'}],"
                + "'cni.dev/attachments':[{'containerID':'c3','ifname':'eth0'}]";
        assertThat(refused(
                        plugin.call("GC", "", conf("1.1.0", "'subnet':'10.1.2.0/24'", valid.replace("'c3'", "'-'")))))
                .startsWith("4 invalid characters in containerID");
        silent(plugin.call("GC", "", conf("1.1.0", "'subnet':'10.1.2.0/24'", valid)));
        assertThat(files()).containsOnlyKeys("10.1.2.2", "10.1.2.4", "10.1.2.9", "10.1.2.11", "last_reserved_ip.0");
        silent(plugin.call("GC", "", conf("1.1.0", "'subnet':'10.1.2.0/24'", ",'cni.dev/valid-attachments':[]")));
        assertThat(files()).containsOnlyKeys("10.1.2.11", "last_reserved_ip.0");
    }

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void anEmptyFileOfACrashedWriterTakesNoAddress(By by) throws IOException {
        by(by);
        lastReserved("10.1.2.254");
        Files.createFile(data.resolve("mynet/10.1.2.2"));
        assertThat(add("c1", base())).containsExactly("10.1.2.2/24");
        assertThat(files()).containsEntry("10.1.2.2", "c1\r\neth0");
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

    @ParameterizedTest
    @EnumSource(value = By.class, names = "OURS")
    void e5AfterAnAddThatFailedADelLeavesNothing(By by) throws IOException {
        by(by);
        add("c1", base());
        silent(plugin.call("DEL", "c1", base()));
        try (Stream<Path> all = Files.list(data.resolve("mynet"))) {
            assertThat(all.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("lock", "last_reserved_ip.0");
        }
    }
}

package io.enipam.frontends.cni.spec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.LinkRequest.LinkType;
import io.enipam.engine.model.OwnerKey;
import io.enipam.frontends.cni.spec.CniVariables.CniCommand;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sections 1, 3 and 4 of the obligations: what is on standard input. */
class NetConfTest {
    @Test
    void sixteenMegabytesOfUnknownKeysPass() {
        byte[] pad = new byte[(16 << 20) - 200];
        Arrays.fill(pad, (byte) 'x');
        String head = "{\"cniVersion\":\"1.0.0\",\"pad\":\"";
        String tail = "\",\"name\":\"net\",\"type\":\"enipam-cni\",\"mtu\":1400}";
        byte[] text = new byte[head.length() + pad.length + tail.length()];
        System.arraycopy(head.getBytes(UTF_8), 0, text, 0, head.length());
        System.arraycopy(pad, 0, text, head.length(), pad.length);
        System.arraycopy(tail.getBytes(UTF_8), 0, text, head.length() + pad.length, tail.length());

        assertThat(NetConf.read(text, CniCommand.ADD).link("/n").mtu()).hasValue(1400);
    }

    @Test
    void aKnownKeyThatIsABombIsRefused() {
        refused(6, conf("1.0.0", ",\"args\":[" + "0,".repeat(300_000) + "0]"), "args has more than");
        refused(6, conf("1.0.0", ",\"args\":" + "[".repeat(5_000) + "]".repeat(5_000)), "nesting");
        refused(6, conf("1.0.0", ",\"unknown\":" + "[".repeat(5_000) + "]".repeat(5_000)), "nesting");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "null", "[]", "\"text\"", "{", "{\"name\":}", "{} {}", "{}x", "nonsense", "{\"a\":1,}"})
    void whatIsNoJsonObjectIsCode6(String text) {
        refused(6, text, "the network configuration on standard input cannot be read: ");
    }

    @Test
    void noPieceOfAConfigurationIsToldWhenItCannotBeRead() {
        for (String text : List.of("{\"password\": hunter2}", "{\"password\": 'hunter2'}", "{hunter2: 5}", "hunter2")) {
            assertThatThrownBy(() -> NetConf.read(text.getBytes(UTF_8), CniCommand.ADD))
                    .isInstanceOfSatisfying(CniException.class, refusal -> {
                        assertThat(refusal.code()).isEqualTo(6);
                        assertThat(refusal.getMessage() + refusal.details()).doesNotContain("hunter2", "REDACTED");
                        assertThat(refusal.details()).contains("/etc/cni/net.d");
                    });
        }
    }

    @Test
    void aMessageIsOneLineThatALogCanHold() {
        CniException tooLong = new CniException(7, "a\nb".repeat(5_000), "x".repeat(50_000));
        assertThat(tooLong.getMessage()).hasSize(1_001).startsWith("a ba ba b").endsWith("…");
        assertThat(tooLong.details()).hasSize(2_001);
    }

    @Test
    void bytesThatAreNoTextAreCode6() {
        assertThatThrownBy(() -> NetConf.read(new byte[] {'{', '"', (byte) 0xff, (byte) 0xfe, '"'}, CniCommand.ADD))
                .isInstanceOf(CniException.class)
                .extracting(e -> ((CniException) e).code())
                .isEqualTo(6);
    }

    @Test
    void nameAndTypeAreRequired() {
        refused(7, "{\"type\":\"enipam-cni\"}", "name is missing");
        refused(7, "{\"name\":\"net\"}", "type is missing");
        refused(7, "{\"name\":\"-net\",\"type\":\"x\"}", "name is \"-net\"");
        refused(7, "{\"name\":5,\"type\":\"x\"}", "name is 5, which is not text");
    }

    @Test
    void aConfigurationWithoutAVersionIsOfTheFirst() {
        assertThat(read("{\"name\":\"net\",\"type\":\"enipam-cni\"}").version()).isEqualTo(SpecVersion.V0_1_0);
        assertThat(read(conf("", "")).version()).isEqualTo(SpecVersion.V0_1_0);
    }

    @Test
    void unknownAndReservedKeysAreTolerated() {
        NetConf conf = read(conf(
                "1.1.0",
                ",\"capabilities\":{\"bandwidth\":true},\"ipMasq\":true,\"ipam\":{\"type\":\"host-local\"},"
                        + "\"cni.dev/other\":1,\"disableCheck\":\"true\",\"cniVersions\":[\"1.1.0\"],\"x\":null"));
        assertThat(conf.name()).isEqualTo("net");
        assertThat(conf.link("/n")).isEqualTo(LinkRequest.into("/n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"banana", "1", "1.0.0-rc1", "1.0.0.0", "v1.0.0"})
    void aVersionThatIsNoneIsCode6(String version) {
        refused(6, conf(version, ""), "cniVersion is no version");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.9", "0.5.0", "1.2.0", "2.0.0", "99999.0.0", "1.0"})
    void anotherVersionIsCode1WithDetails(String version) {
        assertThatThrownBy(() -> read(conf(version, "")))
                .isInstanceOf(CniException.class)
                .hasMessage("incompatible CNI versions")
                .satisfies(e -> {
                    assertThat(((CniException) e).code()).isEqualTo(1);
                    assertThat(((CniException) e).details())
                            .isEqualTo("config is \"" + version
                                    + "\", plugin supports [0.1.0, 0.2.0, 0.3.0, 0.3.1, 0.4.0, 1.0.0, 1.1.0]");
                });
    }

    @ParameterizedTest
    @EnumSource(SpecVersion.class)
    void everyVersionFromTheFirstToTheLatestIsSpoken(SpecVersion version) {
        assertThat(read(conf(version.text(), "")).version()).isEqualTo(version);
    }

    @ParameterizedTest
    @CsvSource({"CHECK,0.3.1,0.4.0", "GC,1.0.0,1.1.0", "STATUS,1.0.0,1.1.0"})
    void aCommandNeedsAVersionThatHasIt(CniCommand command, String before, String since) {
        assertThatThrownBy(() -> NetConf.read(conf(before, "").getBytes(UTF_8), command))
                .isInstanceOf(CniException.class)
                .hasMessage("config version does not allow " + command)
                .extracting(e -> ((CniException) e).code())
                .isEqualTo(1);
        assertThat(NetConf.read(conf(since, "").getBytes(UTF_8), command).name())
                .isEqualTo("net");
    }

    @Test
    void terwaysKeysAreUnderstood() {
        LinkRequest link = read(conf(
                        "0.4.0",
                        ",\"veth_prefix\":\"enp\",\"eniip_virtual_type\":\"IPVlan\",\"mtu\":1450,"
                                + "\"host_stack_cidrs\":[\"169.254.20.10/32\",\"10.1.2.3/16\",\"fd00::1/64\"]"))
                .link("/var/run/netns/a");
        assertThat(link.connector()).isEqualTo(Connector.DAEMON);
        assertThat(link.netns()).isEqualTo("/var/run/netns/a");
        assertThat(link.vethPrefix()).isEqualTo("enp");
        assertThat(link.type()).isEqualTo(LinkType.IPVLAN);
        assertThat(link.mtu()).hasValue(1450);
        assertThat(link.hostStackCidrs()).containsExactly("169.254.20.10/32", "10.1.0.0/16", "fd00::/64");
    }

    @ParameterizedTest
    @CsvSource({"Veth,VETH", "veth,VETH", "IPVlan,IPVLAN", "ipvlan,IPVLAN", "IPVLAN,IPVLAN", "'',VETH"})
    void theKindOfLinkIsTakenInAnyCaseAsTerwayDoes(String text, LinkType type) {
        assertThat(read(conf("0.4.0", ",\"eniip_virtual_type\":\"" + text + "\""))
                        .link("/n")
                        .type())
                .isEqualTo(type);
    }

    @Test
    void theCapabilityBandwidthIsBitsASecond() {
        LinkRequest link = read(conf(
                        "1.0.0",
                        ",\"runtimeConfig\":{\"bandwidth\":{\"ingressRate\":8000000,\"ingressBurst\":2147483647,"
                                + "\"egressRate\":12,\"egressBurst\":0},\"portMappings\":[]}"))
                .link("/n");
        assertThat(link.ingress()).hasValue(1_000_000);
        assertThat(link.egress()).hasValue(1);
        LinkRequest none = read(conf("1.0.0", ",\"runtimeConfig\":{\"bandwidth\":{\"ingressRate\":0}}"))
                .link("/n");
        assertThat(none.ingress()).isEmpty();
        assertThat(none.egress()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"mtu\":67                            | mtu is 67, which is not a whole number from 68 to 65535",
                "\"mtu\":\"1500\"                      | mtu is \"1500\"",
                "\"mtu\":1e99                          | mtu is",
                "\"veth_prefix\":\"toolong\"           | veth_prefix is \"toolong\"",
                "\"veth_prefix\":\"a/b\"               | veth_prefix is \"a/b\"",
                "\"eniip_virtual_type\":\"macvlan\"    | eniip_virtual_type is \"macvlan\", which is not Veth or IPVlan",
                "\"host_stack_cidrs\":\"10.0.0.0/8\"   | host_stack_cidrs is \"10.0.0.0/8\", which is not an array",
                "\"host_stack_cidrs\":[\"10.0.0.0\"]   | host_stack_cidrs[0] is \"10.0.0.0\", which is not a CIDR",
                "\"host_stack_cidrs\":[\"x;reboot/8\"] | host_stack_cidrs[0] is \"x;reboot/8\"",
                "\"runtimeConfig\":[]                  | runtimeConfig is an array",
                "\"runtimeConfig\":{\"bandwidth\":5}   | runtimeConfig.bandwidth is 5",
                "\"runtimeConfig\":{\"bandwidth\":{\"ingressRate\":-1}}  | runtimeConfig.bandwidth.ingressRate is -1",
                "\"runtimeConfig\":{\"bandwidth\":{\"egressBurst\":\"1\"}} | runtimeConfig.bandwidth.egressBurst is \"1\""
            })
    void aBadValueIsToldWithItsKey(String key, String message) {
        String text = conf("1.0.0", "," + key);
        refused(7, conf -> conf.link("/n"), text, message);
        assertThat(NetConf.read(text.getBytes(UTF_8), CniCommand.DEL).name())
                .as("a DEL needs none of it")
                .isEqualTo("net");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"prevResult\":5                                       | prevResult is 5",
                "\"prevResult\":{\"ips\":[{}]}                          | prevResult.ips[0].address is missing",
                "\"prevResult\":{\"ips\":[{\"address\":\"10.0.0.1/99\"}]} | prevResult.ips[0].address is \"10.0.0.1/99\"",
                "\"prevResult\":{\"ips\":[5]}                           | prevResult.ips[0] is 5",
                "\"prevResult\":{\"interfaces\":[null]}                 | prevResult.interfaces[0] is null",
                "\"prevResult\":{\"routes\":[{\"dst\":\"x\"}]}          | prevResult.routes[0].dst is \"x\"",
                "\"prevResult\":{\"dns\":[]}                            | prevResult.dns is an array"
            })
    void aPreviousResultThatIsNoneIsToldWithItsKey(String key, String message) {
        refused(7, conf -> conf.previous(), conf("1.0.0", "," + key), message);
    }

    @Test
    void theAttachmentsOfGcAreReadFromEitherKey() {
        assertThat(NetConf.read(
                                conf(
                                                "1.1.0",
                                                ",\"cni.dev/valid-attachments\":[{\"containerID\":\"a\",\"ifname\":\"eth0\"}],"
                                                        + "\"cni.dev/attachments\":[{\"containerID\":\"b\",\"ifname\":\"eth1\"}]")
                                        .getBytes(UTF_8),
                                CniCommand.GC)
                        .attachments()
                        .orElseThrow())
                .containsExactlyInAnyOrder(new OwnerKey("net", "a", "eth0"), new OwnerKey("net", "b", "eth1"));
        assertThat(read(conf("1.1.0", ",\"cni.dev/valid-attachments\":[]")).attachments())
                .hasValueSatisfying(valid -> assertThat(valid).isEmpty());
    }

    @Test
    void gcWithoutAListHasNone() {
        assertThat(read(conf("1.1.0", "")).attachments()).isEmpty();
        assertThat(read(conf("1.1.0", ",\"cni.dev/valid-attachments\":null")).attachments())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5",
                "{}",
                "[5]",
                "[{}]",
                "[{\"containerID\":\"a\"}]",
                "[{\"containerID\":\"/\",\"ifname\":\"e\"}]"
            })
    void aListOfAttachmentsWithAMistakeEndsNothing(String list) {
        refused(
                7,
                conf -> conf.attachments(),
                conf("1.1.0", ",\"cni.dev/valid-attachments\":" + list),
                "cni.dev/valid-attachments");
    }

    private static String conf(String version, String more) {
        return "{\"cniVersion\":\"" + version + "\",\"name\":\"net\",\"type\":\"enipam-cni\"" + more + "}";
    }

    private static NetConf read(String text) {
        return NetConf.read(text.getBytes(UTF_8), CniCommand.ADD);
    }

    private static void refused(int code, String text, String message) {
        refused(code, conf -> {}, text, message);
    }

    private static void refused(int code, Consumer<NetConf> use, String text, String message) {
        assertThatThrownBy(() -> use.accept(read(text)))
                .isInstanceOf(CniException.class)
                .hasMessageContaining(message)
                .extracting(e -> ((CniException) e).code())
                .isEqualTo(code);
    }
}

package io.enipam.frontends.cni.spec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.cni.CniVersions;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.frontends.cni.spec.CniResult.Dns;
import io.enipam.frontends.cni.spec.CniResult.Interface;
import io.enipam.frontends.cni.spec.CniResult.Ip;
import io.enipam.frontends.cni.spec.CniResult.Route;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sections 4 and 5 of the obligations: a result is told in exactly the configuration's version. */
class ResultVersionsTest {
    private static final CniResult DUAL = new CniResult(
            List.of(
                    new Interface("cali1234", "02:00:00:00:00:01", 1500, "", "", ""),
                    new Interface(
                            "eth0", "02:00:00:00:00:02", 1500, "/run/netns/a", "/run/vhost.sock", "0000:00:05.0")),
            List.of(
                    new Ip("10.0.0.5/32", "169.254.1.1", OptionalInt.of(1)),
                    new Ip("fd00::5/128", "fe80::1", OptionalInt.of(1)),
                    new Ip("10.0.0.6/32", "", OptionalInt.empty())),
            List.of(
                    new Route("0.0.0.0/0", "169.254.1.1", Map.of("mtu", 1400L, "priority", 7L)),
                    new Route("::/0", "fe80::1", Map.of())),
            new Dns(List.of("10.0.0.10"), "cluster.local", List.of("svc.cluster.local"), List.of("ndots:5")));

    private static final String DNS = "'dns':{'nameservers':['10.0.0.10'],'domain':'cluster.local',"
            + "'search':['svc.cluster.local'],'options':['ndots:5']}";

    @Test
    void version110TellsAll() {
        told("""
                {'cniVersion':'1.1.0',
                 'interfaces':[{'name':'cali1234','mac':'02:00:00:00:00:01','mtu':1500},
                               {'name':'eth0','mac':'02:00:00:00:00:02','mtu':1500,'sandbox':'/run/netns/a',
                                'socketPath':'/run/vhost.sock','pciID':'0000:00:05.0'}],
                 'ips':[{'address':'10.0.0.5/32','gateway':'169.254.1.1','interface':1},
                        {'address':'fd00::5/128','gateway':'fe80::1','interface':1},
                        {'address':'10.0.0.6/32'}],
                 'routes':[{'dst':'0.0.0.0/0','gw':'169.254.1.1','mtu':1400,'priority':7},{'dst':'::/0','gw':'fe80::1'}],
                """ + DNS + "}", SpecVersion.V1_1_0);
    }

    @Test
    void version100HasNoDetailsOfLinksAndRoutes() {
        told("""
                {'cniVersion':'1.0.0',
                 'interfaces':[{'name':'cali1234','mac':'02:00:00:00:00:01'},
                               {'name':'eth0','mac':'02:00:00:00:00:02','sandbox':'/run/netns/a'}],
                 'ips':[{'address':'10.0.0.5/32','gateway':'169.254.1.1','interface':1},
                        {'address':'fd00::5/128','gateway':'fe80::1','interface':1},
                        {'address':'10.0.0.6/32'}],
                 'routes':[{'dst':'0.0.0.0/0','gw':'169.254.1.1'},{'dst':'::/0','gw':'fe80::1'}],
                """ + DNS + "}", SpecVersion.V1_0_0);
    }

    @ParameterizedTest
    @EnumSource(
            value = SpecVersion.class,
            names = {"V0_3_0", "V0_3_1", "V0_4_0"})
    void versions03And04NameTheFamilyOfEachAddress(SpecVersion version) {
        told("""
                {'cniVersion':'%s',
                 'interfaces':[{'name':'cali1234','mac':'02:00:00:00:00:01'},
                               {'name':'eth0','mac':'02:00:00:00:00:02','sandbox':'/run/netns/a'}],
                 'ips':[{'version':'4','address':'10.0.0.5/32','gateway':'169.254.1.1','interface':1},
                        {'version':'6','address':'fd00::5/128','gateway':'fe80::1','interface':1},
                        {'version':'4','address':'10.0.0.6/32'}],
                 'routes':[{'dst':'0.0.0.0/0','gw':'169.254.1.1'},{'dst':'::/0','gw':'fe80::1'}],
                """.formatted(version.text()) + DNS + "}", version);
    }

    @ParameterizedTest
    @EnumSource(
            value = SpecVersion.class,
            names = {"V0_1_0", "V0_2_0"})
    void versions01And02TellTheFirstAddressOfEachFamilyWithItsRoutes(SpecVersion version) {
        told("""
                {'cniVersion':'%s',
                 'ip4':{'ip':'10.0.0.5/32','gateway':'169.254.1.1','routes':[{'dst':'0.0.0.0/0','gw':'169.254.1.1'}]},
                 'ip6':{'ip':'fd00::5/128','gateway':'fe80::1','routes':[{'dst':'::/0','gw':'fe80::1'}]},
                """.formatted(version.text()) + DNS + "}", version);
    }

    @Test
    void versions01And02KnowNoResultWithoutAnAddress() {
        CniResult none = new CniResult(List.of(), List.of(), List.of(), Dns.NONE);
        assertThatThrownBy(() -> ResultJson.result(none, SpecVersion.V0_2_0))
                .isInstanceOf(CniException.class)
                .hasMessageContaining("0.2.0");
    }

    @ParameterizedTest
    @EnumSource(SpecVersion.class)
    void aResultThatIsReadIsTheOneThatWasTold(SpecVersion version) throws IOException {
        JsonNode once = new JsonMapper().readTree(ResultJson.result(DUAL, version));
        CniResult read = ResultJson.read(new NetConfReader.Value(once, "prevResult"), version);
        assertThat(new JsonMapper().readTree(ResultJson.result(read, version))).isEqualTo(once);
        if (version == SpecVersion.V1_1_0) {
            assertThat(read).isEqualTo(DUAL);
        }
    }

    @Test
    void theFrontAndTheDaemonSpeakTheSameVersions() {
        assertThat(SpecVersion.texts()).isEqualTo(CniVersions.SUPPORTED);
    }

    @Test
    void whatTheKernelWasMadeToBeIsWhatIsTold() {
        Lease lease = new Lease(
                new OwnerKey("net", "c1", "eth0"),
                PodRef.parse("default/a"),
                "",
                new Resource(
                        new ResourceId("eni-1/10.0.0.5"),
                        ResourceKind.ENI_IP,
                        List.of(Address.parse("10.0.0.5/24")),
                        "eni-1",
                        Map.of()),
                Duration.ZERO,
                Instant.EPOCH);
        DatapathResult wiring = new DatapathResult(
                List.of(
                        new DatapathResult.Link("cali1", "02:00:00:00:00:01", 1500, ""),
                        new DatapathResult.Link("eth0", "02:00:00:00:00:02", 1500, "/run/netns/a")),
                List.of(new DatapathResult.PodAddress(Address.parse("10.0.0.5/32"), "169.254.1.1", 1)),
                List.of(new DatapathResult.Route("0.0.0.0/0", "169.254.1.1")));

        CniResult told = CniResult.of(lease, wiring, Dns.NONE);

        assertThat(told.interfaces())
                .containsExactly(
                        new Interface("cali1", "02:00:00:00:00:01", 1500, "", "", ""),
                        new Interface("eth0", "02:00:00:00:00:02", 1500, "/run/netns/a", "", ""));
        assertThat(told.addresses()).containsExactly(new Ip("10.0.0.5/32", "169.254.1.1", OptionalInt.of(1)));
        assertThat(told.routes()).containsExactly(new Route("0.0.0.0/0", "169.254.1.1", Map.of()));
        assertThat(CniResult.of(lease, DatapathResult.NONE, Dns.NONE).addresses())
                .as("of a simulated pod, as an IPAM plugin tells it")
                .containsExactly(new Ip("10.0.0.5/32", "", OptionalInt.empty()));
    }

    @Test
    void aPluginThatComesAfterOthersAddsToWhatTheyTold() {
        CniResult before = new CniResult(
                List.of(new Interface("br0", "", 0, "", "", ""), new Interface("net1", "", 0, "/n", "", "")),
                List.of(new Ip("192.168.0.2/24", "", OptionalInt.of(1))),
                List.of(),
                new Dns(List.of("8.8.8.8"), "", List.of(), List.of()));
        CniResult both = DUAL.after(before);

        assertThat(both.interfaces()).extracting(Interface::name).containsExactly("br0", "net1", "cali1234", "eth0");
        assertThat(both.addresses())
                .extracting(ip -> ip.address() + " " + ip.link().orElse(-1))
                .containsExactly("192.168.0.2/24 1", "10.0.0.5/32 3", "fd00::5/128 3", "10.0.0.6/32 -1");
        assertThat(both.dns()).isEqualTo(DUAL.dns());
        assertThat(new CniResult(List.of(), List.of(), List.of(), Dns.NONE)
                        .after(before)
                        .dns())
                .isEqualTo(before.dns());
    }

    private static void told(String expected, SpecVersion version) {
        try {
            JsonMapper mapper = new JsonMapper();
            assertThat(mapper.readTree(ResultJson.result(DUAL, version)))
                    .isEqualTo(mapper.readTree(expected.replace('\'', '"').getBytes(UTF_8)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}

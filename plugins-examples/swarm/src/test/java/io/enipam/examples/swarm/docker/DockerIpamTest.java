package io.enipam.examples.swarm.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.examples.swarm.SwarmPlugin;
import io.enipam.examples.swarm.docker.Dockerd.Network;
import io.enipam.sdk.Answer;
import io.enipam.sdk.Call;
import io.enipam.sdk.CheckRequest;
import io.enipam.sdk.Command;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Finding;
import io.enipam.sdk.HttpReply;
import io.enipam.sdk.Peer;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestClock;
import io.enipam.sdk.testkit.TestContext;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The remote IPAM protocol, without Docker. Processes of dockerd are numbers, of which a test ends some. */
class DockerIpamTest {
    private static final String SHARED = "name=shared;subnet=10.60.0.0/24;range=10.60.0.128/25";
    private static final String SHARED_SIX = "name=shared;subnet=fd00:60::/64";

    private final InMemoryJournal journal = new InMemoryJournal();
    private final Set<String> gone = new HashSet<>();
    private final TestClock clock = TestClock.running();
    private Map<String, List<String>> values = Map.of();
    private DockerIpam driver;
    private Dockerd first;
    private Dockerd second;

    @BeforeEach
    void start() {
        start(SHARED, SHARED_SIX);
    }

    /** Also again: as after a restart of the daemon. */
    private void start(String... pools) {
        Processes processes = new Processes() {
            @Override
            public String client(Optional<Peer> peer) {
                return "n/" + peer.orElseThrow().pid() + "@0";
            }

            @Override
            public boolean gone(String client) {
                return gone.contains(client);
            }
        };
        clock.move(Duration.ofSeconds(1));
        driver = new DockerIpam(context(pools), processes);
        first = new Dockerd(driver, 1);
        second = new Dockerd(driver, 2);
    }

    private TestContext context(String... pools) {
        return TestContext.builder()
                .settings(new SwarmPlugin().settings())
                .value("docker_pools", pools)
                .value("docker_default_pools", "base=172.30.0.0/22,size=24", "base=fd00:30::/62,size=64")
                .values(values)
                .journal(journal)
                .clock(clock)
                .build();
    }

    /** The process of a dockerd ends; another one is started. */
    private Dockerd restarted(Dockerd former) {
        gone.add("n/" + former.pid() + "@0");
        return new Dockerd(driver, former.pid() + 100);
    }

    private Answer run(String words, boolean dryRun, String... parameters) {
        Command command = driver.commands().stream()
                .filter(each -> String.join(" ", each.spec().path()).equals(words))
                .findFirst()
                .orElseThrow();
        Map<String, List<String>> typed = new HashMap<>();
        for (String parameter : parameters) {
            String[] parts = parameter.split("=", 2);
            typed.put(parts[0], List.of(parts[1]));
        }
        return command.run(Call.of(command.spec(), typed, dryRun));
    }

    private List<List<String>> rows(String words, String... parameters) {
        return ((Answer.Rows) run(words, false, parameters)).table().rows();
    }

    private List<Finding> findings(String id) {
        record Request(Instant at) implements CheckRequest {}
        return driver.checks().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow()
                .run(new Request(clock.instant()));
    }

    private void nothingIsLeft() {
        assertThat(rows("swarm ipam pools")).isEmpty();
        assertThat(rows("swarm ipam leases")).isEmpty();
    }

    @Test
    void activationSaysWhatTheDriverIs() {
        assertThat(first.post("Plugin.Activate", "")).hasToString("{\"Implements\":[\"IpamDriver\"]}");
        assertThat(first.post("IpamDriver.GetCapabilities", ""))
                .hasToString("{\"RequiresMACAddress\":false,\"RequiresRequestReplay\":true}");
        assertThat(first.post("IpamDriver.GetDefaultAddressSpaces", ""))
                .hasToString(
                        "{\"LocalDefaultAddressSpace\":\"enipam-local\",\"GlobalDefaultAddressSpace\":\"enipam-global\"}");
        assertThat(first.post("IpamDriver.DiscoverNew", "{\"DiscoveryType\":1,\"DiscoveryData\":{}}"))
                .hasToString("{}");
        assertThat(first.post("IpamDriver.DiscoverDelete", "{}")).hasToString("{}");
    }

    @Test
    void aNetworkWithContainersComesAndLeavesNothing() {
        Network network = first.network("10.1.0.0/24");
        assertThat(network).isEqualTo(new Network("10.1.0.0/24", "10.1.0.0/24", "10.1.0.1/24"));
        assertThat(first.container(network, 1)).isEqualTo("10.1.0.2/24");
        assertThat(first.container(network, 2)).isEqualTo("10.1.0.3/24");
        assertThat(first.container(network, 3, "10.1.0.77")).isEqualTo("10.1.0.77/24");
        assertThat(first.release(network, "10.1.0.2")).hasToString("{}");
        assertThat(first.container(network, 4))
                .as("a released address is the last to come again")
                .isEqualTo("10.1.0.4/24");
        for (String address : List.of("10.1.0.3", "10.1.0.4", "10.1.0.77")) {
            first.release(network, address);
        }
        first.remove(network);
        nothingIsLeft();
    }

    @Test
    void theNextAddressIsSearchedOnFromTheLastOneAlsoAfterARestart() {
        Network network = first.network("10.1.0.0/29");
        assertThat(first.container(network, 1)).isEqualTo("10.1.0.2/29");
        first.release(network, "10.1.0.2");
        start(SHARED);
        for (String next : List.of("10.1.0.3/29", "10.1.0.4/29", "10.1.0.5/29", "10.1.0.6/29", "10.1.0.2/29")) {
            assertThat(first.container(network, next.charAt(7))).isEqualTo(next);
        }
        assertThat(first.container(network, 9))
                .startsWith(
                        "no available addresses on this pool: all of 10.1.0.1-10.1.0.6 are taken; 'swarm ipam leases");
        assertThat(findings("ipam-full")).singleElement().satisfies(finding -> {
            assertThat(finding.why()).startsWith("6 of its 6 addresses are taken");
            assertThat(finding.fix()).isEqualTo("swarm ipam leases --pool 10.1.0.0/29");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "10.9.0.0/30,2,10.9.0.1/30",
        "10.9.0.0/31,2,10.9.0.0/31",
        "10.9.0.4/32,1,10.9.0.4/32",
        "fd00::/126,3,fd00::1/126",
        "fd00::4/128,1,fd00::4/128"
    })
    void smallSubnetsGiveAllTheirHostsAddresses(String pool, int hosts, String gateway) {
        Network network = first.network(pool);
        assertThat(network.gateway()).isEqualTo(gateway);
        Set<String> given = new TreeSet<>(Set.of(gateway));
        for (int i = 1; i < hosts; i++) {
            given.add(first.container(network, i));
        }
        assertThat(given).hasSize(hosts).allMatch(address -> address.endsWith(pool.replaceFirst(".*/", "/")));
        assertThat(first.container(network, 99)).startsWith("no available addresses");
    }

    @Test
    void auxiliaryAddressesLieAnywhereInThePoolAndContainersInItsRange() {
        JsonNode pool = first.requestPool("10.2.0.0/16", "10.2.5.0/24", "{}", false);
        String id = pool.path("PoolID").asText();
        assertThat(pool.path("Pool").asText()).isEqualTo("10.2.0.0/16");
        assertThat(Dockerd.said(first.requestAddress(id, "10.2.0.1", Dockerd.GATEWAY)))
                .isEqualTo("10.2.0.1/16");
        assertThat(Dockerd.said(first.requestAddress(id, "10.2.200.9", "null"))).isEqualTo("10.2.200.9/16");
        assertThat(Dockerd.said(first.requestAddress(id, "10.2.5.1", "null"))).isEqualTo("10.2.5.1/16");
        Network network = new Network(id, "10.2.0.0/16", "10.2.0.1/16");
        assertThat(first.container(network, 1))
                .as("a range's first address is no network's")
                .isEqualTo("10.2.5.0/16");
        assertThat(first.container(network, 2)).isEqualTo("10.2.5.2/16");
        assertThat(first.container(network, 3, "10.2.200.9"))
                .startsWith("Address already in use: 10.2.200.9 is an auxiliary address, or a container's");
        assertThat(first.container(network, 3, "10.3.0.1")).startsWith("Requested address is out of range");
        assertThat(first.container(network, 3, "10.2.255.255")).startsWith("Requested address is out of range");
        assertThat(rows("swarm ipam pools"))
                .containsExactly(
                        List.of("10.2.0.0/16,10.2.5.0/24", "-", "10.2.0.0/16", "10.2.5.0/24", "1", "256", "3", "253"));
    }

    @Test
    void aNetworkWithoutASubnetGetsOneOfTheDefaultsAndAFreedOneComesLast() {
        List<Network> networks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            networks.add(first.network(""));
        }
        assertThat(networks)
                .extracting(Network::pool)
                .containsExactly("172.30.0.0/24", "172.30.1.0/24", "172.30.2.0/24", "172.30.3.0/24");
        assertThatThrownBy(() -> first.network(""))
                .hasMessageContaining("could not find an available, non-overlapping");
        first.remove(networks.get(3));
        first.remove(networks.get(1));
        first.remove(networks.get(0));
        assertThat(first.network("").pool()).as("behind the last is the first").isEqualTo("172.30.0.0/24");
        first.remove(networks.get(2));
        start(SHARED);
        assertThat(first.network("").pool()).isEqualTo("172.30.1.0/24");
        assertThat(first.requestPool("", "", "{}", true).path("Pool").asText()).isEqualTo("fd00:30::/64");
    }

    @Test
    void poolsDoNotOverlapButForTheSameSubnet() {
        Network whole = first.network("10.5.0.0/16");
        assertThatThrownBy(() -> second.network("10.5.7.0/24"))
                .hasMessageStartingWith(
                        "Pool overlaps with other one on this address space: 10.5.7.0/24 and 10.5.0.0/16;");
        assertThatThrownBy(() -> second.network("10.0.0.0/8")).hasMessageStartingWith("Pool overlaps");
        assertThatThrownBy(() -> second.network("10.60.0.0/24"))
                .hasMessageEndingWith("of pool shared; to use that, give --ipam-opt pool=shared");
        Network part = second.network("10.5.0.0/16", "10.5.9.0/24", "{}", "");
        assertThat(part.gateway()).isEqualTo("10.5.9.0/16");
        assertThat(first.container(whole, 1, "10.5.9.1")).isEqualTo("10.5.9.1/16");
        assertThat(second.container(part, 1)).as("both draw from one subnet").isEqualTo("10.5.9.2/16");
    }

    @Test
    void twoDockerdsOnANamedPoolHaveTwoGatewaysAndNoAddressInCommon() {
        Network one = first.named("shared");
        Network two = second.named("shared");
        assertThat(one).isEqualTo(new Network("shared@10.60.0.0/24,10.60.0.128/25", "10.60.0.0/24", "10.60.0.128/24"));
        assertThat(two.poolId()).isEqualTo(one.poolId());
        assertThat(two.gateway()).isEqualTo("10.60.0.129/24");
        Set<String> given = new HashSet<>(List.of(one.gateway(), two.gateway()));
        for (int i = 0; i < 50; i++) {
            // one MAC address on two hosts is none of the driver's business
            assertThat(given.add(first.container(one, i))).isTrue();
            assertThat(given.add(second.container(two, i))).isTrue();
        }
        assertThat(rows("swarm ipam leases", "pool=shared")).hasSize(102);
        first.remove(one);
        assertThat(rows("swarm ipam leases")).as("the other network goes on").hasSize(51);
        assertThat(second.container(two, 60)).startsWith("10.60.0.");
        assertThat(first.named("shared").gateway()).isEqualTo("10.60.0.231/24");
        second.remove(two);
        assertThat(rows("swarm ipam leases")).hasSize(1);
    }

    @Test
    void aNamedPoolHasBothFamilies() {
        JsonNode six = first.requestPool("", "", "{\"pool\":\"shared\"}", true);
        assertThat(six.path("Pool").asText()).isEqualTo("fd00:60::/64");
        assertThat(Dockerd.said(first.requestAddress(six.path("PoolID").asText(), "", Dockerd.GATEWAY)))
                .isEqualTo("fd00:60::1/64");
        assertThat(first.requestPool("10.60.0.0/24", "", "{\"pool\":\"shared\"}", false)
                        .path("PoolID")
                        .asText())
                .as("the pool's own subnet may be given")
                .isEqualTo("shared@10.60.0.0/24,10.60.0.128/25");
        assertThat(first.requestPool("10.61.0.0/24", "", "{\"pool\":\"shared\"}", false)
                        .path("Err")
                        .asText())
                .isEqualTo("pool shared is 10.60.0.0/24, not 10.61.0.0/24: give no --subnet, or that one");
        assertThat(first.requestPool("", "", "{\"pool\":\"other\"}", false)
                        .path("Err")
                        .asText())
                .isEqualTo(
                        "there is no pool other of IPV4, but [shared]; the setting plugins.swarm.docker_pools names them");
    }

    @Test
    void macvlanNetworksOfTwoHostsShareTheirRouter() {
        Network one = first.network("10.7.0.0/24", "", "{}", "10.7.0.1");
        Network two = second.network("10.7.0.0/24", "", "{}", "10.7.0.1");
        assertThat(two).isEqualTo(one);
        first.remove(one);
        assertThat(second.container(two, 1)).as("the router keeps its address").isEqualTo("10.7.0.2/24");
        assertThat(second.container(two, 2, "10.7.0.1")).startsWith("Address already in use: 10.7.0.1 is the gateway");
        second.release(two, "10.7.0.2");
        second.remove(two);
        nothingIsLeft();
    }

    @Test
    void aDockerdThatRestartsFindsWhatItHadAndAnotherOneIsRefusedIt() {
        Network network = first.network("10.8.0.0/24", "", "{}", "10.8.0.1");
        first.requestAddress(network.poolId(), "10.8.0.9", "null");
        assertThat(first.container(network, 1)).isEqualTo("10.8.0.2/24");
        Network other = second.network("10.8.0.0/24", "", "{}", "");
        assertThat(other.gateway()).isEqualTo("10.8.0.3/24");
        assertThat(Dockerd.said(second.requestAddress(other.poolId(), "10.8.0.2", "null")))
                .startsWith("Address already in use: 10.8.0.2 is a container's with MAC address 02:42:00:00:00:01");
        for (int restart = 0; restart < 3; restart++) {
            start(SHARED);
            first = restarted(new Dockerd(driver, 1 + 100 * restart));
            assertThat(first.replay(network, "{}")).isEqualTo(network);
            assertThat(Dockerd.said(first.requestAddress(network.poolId(), "10.8.0.9", "null")))
                    .isEqualTo("10.8.0.9/24");
            assertThat(Dockerd.said(first.requestAddress(network.poolId(), "10.8.0.2", "null")))
                    .isEqualTo("10.8.0.2/24");
        }
        assertThat(rows("swarm ipam pools").get(0).get(4)).as("networks").isEqualTo("2");
        first.release(network, "10.8.0.2");
        first.release(network, "10.8.0.1");
        first.release(network, "10.8.0.9");
        first.releasePool(network.poolId());
        second.remove(other);
        nothingIsLeft();
    }

    @Test
    void aReplayOfAChosenPoolIsRequestedAsAGivenOne() {
        Network chosen = first.network("");
        Network named = first.named("shared");
        start();
        Dockerd again = restarted(first);
        assertThat(again.replay(chosen, "{}")).isEqualTo(chosen);
        assertThat(again.replay(named, "{\"pool\":\"shared\"}")).isEqualTo(named);
        again.remove(chosen);
        again.remove(named);
        nothingIsLeft();
    }

    @Test
    void aNamedPoolThatTheConfigurationLostServesItsNetworksOn() {
        Network network = first.named("shared");
        start("name=next;subnet=10.61.0.0/24");
        assertThat(first.container(network, 1)).isEqualTo("10.60.0.129/24");
        assertThatThrownBy(() -> second.named("shared")).hasMessageStartingWith("there is no pool shared");
        Dockerd again = restarted(first);
        JsonNode replayed = again.requestPool("10.60.0.0/24", "", "{\"pool\":\"shared\"}", false);
        assertThat(replayed.path("Pool").asText()).isEqualTo("10.60.0.0/24");
    }

    @Test
    void callsThatComeTwiceHaveNoEffectTheSecondTime() {
        Network network = first.network("10.4.0.0/24");
        first.container(network, 1);
        for (int i = 0; i < 2; i++) {
            assertThat(first.release(network, "10.4.0.2")).hasToString("{}");
        }
        Network other = second.network("10.4.0.0/24");
        for (int i = 0; i < 2; i++) {
            assertThat(first.release(network, network.gateway())).hasToString("{}");
        }
        for (int i = 0; i < 2; i++) {
            assertThat(first.releasePool(network.poolId())).hasToString("{}");
        }
        String last = second.container(other, 1);
        assertThat(last).as("the pool is the other's still").startsWith("10.4.0.");
        second.release(other, last);
        second.remove(other);
        nothingIsLeft();
    }

    /** Docker's client sends the body of a call once, and repeats the call without it where the connection broke. */
    @ParameterizedTest
    @ValueSource(strings = {"RequestPool", "RequestAddress", "ReleaseAddress", "ReleasePool"})
    void aCallThatDockerdRepeatsWithoutItsBodyIsToldWhatToDo(String method) {
        Network network = first.network("10.4.0.0/24");
        assertThat(first.post("IpamDriver." + method, "").path("Err").asText())
                .contains("no body", "run the command again", "doctor swarm/ipam-stale");
        first.container(network, 1);
        first.remove(network);
        nothingIsLeft();
    }

    @Test
    void twoContainersWithOneFixedAddressAreNotServedWhateverDockerSaysOfThem() {
        Network one = first.network("10.4.0.0/24");
        Network two = second.network("10.4.0.0/24");
        assertThat(Dockerd.said(first.requestAddress(one.poolId(), "10.4.0.9", "null")))
                .isEqualTo("10.4.0.9/24");
        for (String options :
                List.of("null", "{}", "{\"com.docker.network.endpoint.macaddress\":\"02:42:00:00:00:01\"}")) {
            assertThat(Dockerd.said(first.requestAddress(one.poolId(), "10.4.0.9", options)))
                    .startsWith("Address already in use");
            assertThat(Dockerd.said(second.requestAddress(two.poolId(), "10.4.0.9", options)))
                    .startsWith("Address already in use");
        }
    }

    @Test
    void networksOfTwoHostsShareAuxiliaryAddressesWhereDockerSaysWhichAreContainers() {
        values = Map.of("docker_require_mac", List.of("true"));
        start(SHARED);
        assertThat(first.post("IpamDriver.GetCapabilities", "")
                        .path("RequiresMACAddress")
                        .asBoolean())
                .isTrue();
        Network one = first.network("10.4.0.0/24");
        Network two = second.network("10.4.0.0/24");
        assertThat(Dockerd.said(first.requestAddress(one.poolId(), "10.4.0.9", "null")))
                .isEqualTo("10.4.0.9/24");
        assertThat(Dockerd.said(second.requestAddress(two.poolId(), "10.4.0.9", "null")))
                .isEqualTo("10.4.0.9/24");
        first.release(one, "10.4.0.9");
        assertThat(first.container(one, 1, "10.4.0.9")).startsWith("Address already in use");
        second.release(two, "10.4.0.9");
        assertThat(first.container(one, 1, "10.4.0.9")).isEqualTo("10.4.0.9/24");
    }

    @Test
    void aPoolWhoseNetworkCameToNothingIsDropped() {
        first.requestPool("", "", "{}", false);
        JsonNode failed = first.requestPool("", "", "{}", false);
        first.releasePool(failed.path("PoolID").asText());
        assertThat(rows("swarm ipam pools")).hasSize(1);
        clock.move(Duration.ofMinutes(11));
        Network network = second.network("10.4.0.0/24");
        assertThat(rows("swarm ipam pools")).hasSize(1);
        second.remove(network);
        nothingIsLeft();
    }

    @Test
    void aFailedNetworkDoesNotEndThePoolUnderAnotherThatBegins() {
        Network network = first.network("10.4.0.0/24");
        String id = second.requestPool("10.4.0.0/24", "", "{}", false)
                .path("PoolID")
                .asText();
        first.remove(network);
        assertThat(Dockerd.said(second.requestAddress(id, "", Dockerd.GATEWAY))).isEqualTo("10.4.0.2/24");
    }

    @Test
    void aDockerdThatAsksForEverBecauseOfARouteOfTheHostIsToldSo() {
        for (int i = 0; i < 16; i++) {
            assertThat(first.requestPool("", "", "{\"pool\":\"shared\"}", false).has("Err"))
                    .isFalse();
        }
        assertThat(first.requestPool("", "", "{\"pool\":\"shared\"}", false)
                        .path("Err")
                        .asText())
                .contains("again and again", "'ip route'", "--subnet 10.60.0.0/24");
        for (int i = 0; i < 16; i++) {
            first.releasePool("shared@10.60.0.0/24,10.60.0.128/25");
        }
        nothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "1",
                "null",
                "{} {}",
                "{\"AddressSpace\":1}",
                "{\"AddressSpace\":\"enipam-local\",\"V6\":\"x\"}",
                "{\"AddressSpace\":\"enipam-local\",\"Options\":[]}",
                "{\"AddressSpace\":\"enipam-local\",\"Options\":{\"pool\":1}}",
                "{\"AddressSpace\":\"other\"}",
                "{\"AddressSpace\":\"enipam-local\",\"Pool\":\"10.0.0.0\"}",
                "{\"AddressSpace\":\"enipam-local\",\"Pool\":\"10.0.0.0/33\"}",
                "{\"AddressSpace\":\"enipam-local\",\"Pool\":\"fd00::/64\"}",
                "{\"AddressSpace\":\"enipam-local\",\"Pool\":\"10.0.0.0/24\",\"V6\":true}",
                "{\"AddressSpace\":\"enipam-local\",\"SubPool\":\"10.0.0.0/24\"}",
                "{\"AddressSpace\":\"enipam-local\",\"Pool\":\"10.0.0.0/24\",\"SubPool\":\"10.0.1.0/25\"}",
                "{\"AddressSpace\":\"enipam-local\",\"Options\":{\"poool\":\"x\"}}"
            })
    void aRequestForAPoolThatMakesNoSenseIsToldWhyAndChangesNothing(String body) {
        HttpReply reply = first.send("POST", "/IpamDriver.RequestPool", body);
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.text()).startsWith("{\"Err\":\"").hasSizeGreaterThan(25);
        nothingIsLeft();
    }

    @Test
    void whatIsUnknownIsToldSo() {
        assertThat(first.send("POST", "/VolumeDriver.List", "{}").status()).isEqualTo(404);
        assertThat(first.send("GET", "/Plugin.Activate", "").text()).contains("Err", "POST");
        for (String id : List.of("none", "", "x y", "x".repeat(1_000), "\u00e9")) {
            assertThat(Dockerd.said(first.requestAddress(id, "", "{}"))).startsWith("there is no pool '" + id + "';");
            assertThat(first.releasePool(id)).hasToString("{}");
        }
        assertThat(first.releasePool("none")).hasToString("{}");
        Network none = new Network("none", "", "");
        assertThat(first.release(none, "10.0.0.1")).hasToString("{}");
        assertThat(first.release(none, "x").path("Err").asText()).startsWith("invalid IP address: x");
        assertThat(first.send("POST", "/IpamDriver.RequestPool", "[".repeat(50_000))
                        .status())
                .isEqualTo(400);
    }

    @Test
    void anOperatorReleasesWhatADockerdLeft() {
        Network network = first.network("10.4.0.0/24");
        first.container(network, 1);
        Network other = second.network("10.4.0.0/24");
        clock.move(Duration.ofHours(1));
        assertThat(findings("ipam-gone")).isEmpty();
        restarted(first);
        assertThat(findings("ipam-gone")).singleElement().satisfies(finding -> {
            assertThat(finding.subject()).isEqualTo("10.4.0.1");
            assertThat(finding.fix()).isEqualTo("swarm ipam release 10.4.0.1 --dockerd n/1@0");
        });
        assertThat(run("swarm ipam release", true, "address=10.4.0.1"))
                .isEqualTo(Answer.text("10.4.0.1 would be taken from n/1@0"));
        assertThat(run("swarm ipam release", false, "address=10.4.0.2", "dockerd=n/2@0"))
                .isEqualTo(Answer.text("10.4.0.2 is free, or another dockerd's"));
        for (String address : List.of("10.4.0.1", "10.4.0.2")) {
            run("swarm ipam release", false, "address=" + address, "dockerd=n/1@0");
        }
        assertThat(rows("swarm ipam leases"))
                .singleElement()
                .satisfies(row -> assertThat(row.get(0)).isEqualTo("10.4.0.3"));
        run("swarm ipam release", false, "address=10.4.0.3");
        nothingIsLeft();
        assertThat(second.container(other, 1)).startsWith("there is no pool '10.4.0.0/24'");
    }

    /** Answers each request with the same networks, as Docker's API does. */
    private Thread api(ServerSocketChannel socket, String container) {
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    try (SocketChannel client = socket.accept()) {
                        ByteBuffer request = ByteBuffer.allocate(1_000);
                        client.read(request);
                        String head = new String(request.array(), StandardCharsets.US_ASCII);
                        String body = head.startsWith("GET /networks HTTP/1.0\r\n")
                                ? "[{\"Id\":\"n1\",\"IPAM\":{\"Driver\":\"enipam\"}},{\"Id\":\"n2\",\"IPAM\":{\"Driver\":\"default\"}}]"
                                : "{\"Containers\":{\"c\":{\"IPv4Address\":\"" + container
                                        + "\",\"IPv6Address\":\"\"}}}";
                        client.write(
                                StandardCharsets.US_ASCII.encode("HTTP/1.0 200 OK\r\nContent-Type: x\r\n\r\n" + body));
                    }
                }
            } catch (IOException e) {
                assertThat(e).as("the test ends").isInstanceOf(AsynchronousCloseException.class);
            }
        });
        thread.start();
        return thread;
    }

    @Test
    void anAddressThatNoContainerOfDockersHasIsFoundAndRepaired(@TempDir Path directory) throws Exception {
        Path api = directory.resolve("d.sock");
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(api));
            Thread server = api(socket, "10.4.0.2/24");
            values = Map.of("docker_api", List.of(api.toString()));
            start();
            Network network = first.network("10.4.0.0/24");
            first.container(network, 1);
            first.container(network, 2);
            assertThat(findings("ipam-stale")).as("they may be starting").isEmpty();
            clock.move(Duration.ofMinutes(3));
            assertThat(findings("ipam-stale")).singleElement().satisfies(finding -> {
                assertThat(finding.subject()).isEqualTo("10.4.0.3");
                assertThat(finding.why()).contains("MAC address 02:42:00:00:00:02, and no dockerd has a container or");
                Finding.Repair repair = finding.repair().orElseThrow();
                assertThat(run(String.join(" ", repair.path()), false, "address=10.4.0.3", "dockerd=n/1@0"))
                        .isEqualTo(Answer.text("10.4.0.3 is free; n/1@0 had it"));
            });
            assertThat(findings("ipam-stale")).isEmpty();
            socket.close();
            server.join();
        }
        assertThatThrownBy(() -> findings("ipam-stale"))
                .isInstanceOf(FactoryException.class)
                .hasMessageStartingWith("dockerd does not answer on " + api);
    }

    @Test
    void aDockerdThatTheDaemonDoesNotSeeIsFound() {
        Processes real = Processes.of("n");
        assertThat(real.client(Optional.of(new Peer(0, 0, Integer.MAX_VALUE)))).isEqualTo("n/unknown");
        String own = real.client(
                Optional.of(new Peer(0, 0, (int) ProcessHandle.current().pid())));
        assertThat(own).matches("n/[0-9]+@[0-9]+");
        assertThat(real.gone(own)).isFalse();
        assertThat(real.gone(own + "1")).as("another process has its number").isTrue();
        assertThat(real.gone("n/" + Integer.MAX_VALUE + "@1")).isTrue();
        assertThat(real.gone("other/" + Integer.MAX_VALUE + "@1")).isFalse();
        assertThat(real.gone("n/unknown")).isFalse();
        new Dockerd(new DockerIpam(context(), real), Integer.MAX_VALUE).network("10.4.0.0/24");
        assertThat(findings("ipam-gone"))
                .singleElement()
                .satisfies(finding ->
                        assertThat(finding.why()).contains("does not see the process of dockerd", "hostPID"));
    }

    @Test
    void settingsThatMakeNoSenseAreAllTold() {
        assertThatThrownBy(() -> start(
                        "name=a;subnet=10.0.0.1/24",
                        "name=b;subnet=10.1.0.0/24;range=10.2.0.0/25",
                        "name=c;subnet=10.3.0.0/24",
                        "name=d;subnet=10.3.0.0/16"))
                .isInstanceOf(FactoryException.class)
                .hasMessageContaining("docker_pools: a: 10.0.0.1/24 has host bits set; the subnet is 10.0.0.0/24")
                .hasMessageContaining("docker_pools: b: the range 10.2.0.0/25 is not in 10.1.0.0/24")
                .hasMessageContaining("docker_pools: d: 10.3.0.0/16 overlaps 10.3.0.0/24 of pool c");
    }

    @Test
    void requestsOfManyContainersAtOnceGetDifferentAddresses() {
        Network one = first.network("10.4.0.0/22");
        Network two = second.network("10.4.0.0/22");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<CompletableFuture<String>> all = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                int number = i;
                all.add(CompletableFuture.supplyAsync(
                        () -> number % 2 == 0 ? first.container(one, number) : second.container(two, number), threads));
            }
            assertThat(all.stream().map(CompletableFuture::join))
                    .doesNotHaveDuplicates()
                    .allMatch(address -> address.startsWith("10.4."));
        } finally {
            threads.shutdownNow();
        }
    }

    /** Dockerds that create, remove, crash and replay: no address is had twice, and in the end nothing is left. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void whateverDockerdsDoNoAddressIsHadTwice(long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        Dockerd[] dockerds = {first, second};
        List<Map<Network, List<String>>> networks = List.of(new HashMap<>(), new HashMap<>());
        int containers = 0;
        for (int step = 0; step < 300; step++) {
            int who = random.nextInt(2);
            Map<Network, List<String>> mine = networks.get(who);
            switch (random.nextInt(6)) {
                case 0 -> {
                    if (mine.isEmpty()) {
                        mine.put(dockerds[who].named("shared"), new ArrayList<>());
                    }
                }
                case 1 -> {
                    if (random.nextInt(4) == 0) {
                        mine.forEach((network, addresses) -> {
                            addresses.forEach(address -> dockerds[who].release(network, address));
                            dockerds[who].remove(network);
                        });
                        mine.clear();
                    }
                }
                case 2 -> {
                    start();
                    dockerds[0] = new Dockerd(driver, dockerds[0].pid());
                    dockerds[1] = new Dockerd(driver, dockerds[1].pid());
                    dockerds[who] = restarted(dockerds[who]);
                    mine.forEach((network, addresses) -> {
                        assertThat(dockerds[who].replay(network, "{\"pool\":\"shared\"}"))
                                .isEqualTo(network);
                        addresses.forEach(address -> assertThat(Dockerd.said(dockerds[who].requestAddress(
                                        network.poolId(), address.replaceFirst("/.*", ""), "null")))
                                .isEqualTo(address));
                    });
                }
                default -> {
                    for (Map.Entry<Network, List<String>> network : mine.entrySet()) {
                        if (random.nextBoolean() && !network.getValue().isEmpty()) {
                            dockerds[who].release(
                                    network.getKey(), network.getValue().remove(0));
                        } else {
                            String address = dockerds[who].container(network.getKey(), containers++);
                            if (!address.startsWith("no available")) {
                                network.getValue().add(address);
                            }
                        }
                    }
                }
            }
            List<String> all = new ArrayList<>();
            networks.forEach(each -> each.forEach((network, addresses) -> {
                all.add(network.gateway());
                all.addAll(addresses);
            }));
            assertThat(all).doesNotHaveDuplicates();
            assertThat(rows("swarm ipam leases").stream()
                            .map(row -> row.get(0) + "/24")
                            .sorted())
                    .isEqualTo(all.stream().sorted().toList());
        }
        for (int who = 0; who < 2; who++) {
            for (Map.Entry<Network, List<String>> network : networks.get(who).entrySet()) {
                for (String address : network.getValue()) {
                    dockerds[who].release(network.getKey(), address);
                }
                dockerds[who].remove(network.getKey());
            }
        }
        nothingIsLeft();
    }
}

package io.enipam.frontends.cni;

import static io.enipam.frontends.cni.CniClient.conf;
import static io.enipam.frontends.cni.CniClient.variables;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The obligations of a CNI plugin, by what a runtime sees: calls on the socket of a whole daemon, with the real engine. Its pods are
 * simulated, so that the kernel is left alone.
 */
@Timeout(180)
class CniCallsTest {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    @TempDir
    private static Path root;

    @AutoClose
    private static LivingDaemon daemon;

    private static CniClient cni;
    private static String netns;

    private final String pod = "pod-" + NUMBER.incrementAndGet();

    @BeforeAll
    static void begin() throws IOException {
        daemon = LivingDaemon.start(root.resolve("r"));
        cni = new CniClient(root.resolve("r/run/cni.sock"));
        netns = Files.createFile(root.resolve("netns")).toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"})
    void addAnswersInExactlyTheVersionOfTheConfiguration(String version) {
        CniClient.Told told = cni.call(variables("ADD", pod, netns), conf(version, "\"dns\":{\"domain\":\"d\"}"));
        assertThat(told.exit()).as(told.stdout()).isZero();
        assertThat(told.json().path("cniVersion").asText()).isEqualTo(version);
        assertThat(told.json().at("/dns/domain").asText()).isEqualTo("d");
        String address = version.compareTo("0.3") < 0
                ? told.json().at("/ip4/ip").asText()
                : told.json().at("/ips/0/address").asText();
        assertThat(address).matches("[0-9.]+/32");
        assertThat(address).startsWith(lease(pod).getResource().getAddresses(0).replaceFirst("/.*", ""));
        del(version);
    }

    @Test
    void theSameSandboxAskedAgainHasTheSameAnswer() {
        CniClient.Told once = cni.call(variables("ADD", pod, netns), conf("1.0.0", ""));
        CniClient.Told again = cni.call(variables("ADD", pod, netns), conf("1.0.0", ""));
        assertThat(again).isEqualTo(once);
        assertThat(once.exit()).isZero();
        del("1.0.0");
    }

    @Test
    void aPreviousResultIsToldAgainWithOursBehindIt() {
        String previous =
                "\"prevResult\":{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"net1\",\"sandbox\":\"/n\"}],"
                        + "\"ips\":[{\"address\":\"192.168.7.2/24\",\"interface\":0}],\"dns\":{\"nameservers\":[\"10.0.0.10\"]}}";
        JsonNode told =
                cni.call(variables("ADD", pod, netns), conf("1.0.0", previous)).json();
        assertThat(told.at("/interfaces/0/name").asText()).isEqualTo("net1");
        assertThat(told.at("/ips/0/address").asText()).isEqualTo("192.168.7.2/24");
        assertThat(told.path("ips")).hasSize(2);
        assertThat(told.at("/dns/nameservers/0").asText()).isEqualTo("10.0.0.10");
        del("1.0.0");
    }

    @Test
    void delSucceedsAsOftenAsItIsAskedAndPrintsNothing() {
        String result =
                cni.call(variables("ADD", pod, netns), conf("0.4.0", "")).stdout();
        for (String more :
                List.of("\"prevResult\":" + result, "\"prevResult\":null", "\"prevResult\":{\"ips\":5}", "")) {
            CniClient.Told told = cni.call(variables("DEL", pod, netns), conf("0.4.0", more));
            assertThat(told).isEqualTo(new CniClient.Told(0, "", ""));
        }
        assertThat(leases()).noneMatch(lease -> lease.getPod().endsWith("/" + pod));
    }

    @Test
    void delNeedsNoNetworkNamespaceAndNoPod() {
        cni.call(variables("ADD", pod, netns), conf("0.4.0", ""));
        Map<String, String> bare = variables("DEL", pod, "", "CNI_ARGS", "nonsense");
        assertThat(cni.call(bare, conf("0.4.0", "\"mtu\":\"wrong\""))).isEqualTo(new CniClient.Told(0, "", ""));
        assertThat(cni.call(bare, "{\"cniVersion\":\"0.4.0\",\"name\":\"net\",\"type\":5}")
                        .exit())
                .isZero();
        assertThat(cni.call(variables("DEL", "nobody", "/gone"), conf("0.4.0", ""))
                        .exit())
                .isZero();
        assertThat(leases()).noneMatch(lease -> lease.getPod().endsWith("/" + pod));
    }

    @Test
    void theDelOfAnotherSandboxOfTheSamePodTakesNothingAway() {
        cni.call(variables("ADD", pod, netns), conf("0.4.0", ""));
        assertThat(cni.call(variables("DEL", pod + "-old", netns), conf("0.4.0", ""))
                        .exit())
                .isZero();
        assertThat(lease(pod).getOwner().getContainer()).isEqualTo(pod);
        del("0.4.0");
    }

    @Test
    void checkPassesWhileAllIsAsAddTold() {
        String result =
                cni.call(variables("ADD", pod, netns), conf("0.4.0", "")).stdout();
        assertThat(cni.call(variables("CHECK", pod, netns), conf("0.4.0", "\"prevResult\":" + result)))
                .isEqualTo(new CniClient.Told(0, "", ""));
        String other = "{\"ips\":[{\"version\":\"4\",\"address\":\"10.99.99.99/32\"}]}";
        CniClient.Told wrong = cni.call(variables("CHECK", pod, netns), conf("0.4.0", "\"prevResult\":" + other));
        assertThat(wrong.code()).isEqualTo(104);
        assertThat(wrong.message()).contains("is not among the ips of prevResult");
        del("0.4.0");
        CniClient.Told gone = cni.call(variables("CHECK", pod, netns), conf("0.4.0", "\"prevResult\":" + result));
        assertThat(gone.code()).isEqualTo(3);
        assertThat(gone.message()).contains("container " + pod + " has no address");
    }

    @Test
    void checkNeedsAPreviousResult() {
        CniClient.Told told = cni.call(variables("CHECK", pod, netns), conf("1.0.0", ""));
        assertThat(told.code()).isEqualTo(7);
        assertThat(told.message()).contains("prevResult is missing");
    }

    @Test
    void gcEndsWhatIsNotListedAndNeverAnotherNetworks() {
        Map<String, String> gc = Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/opt/cni/bin");
        String network = "net-" + pod;
        for (String container : List.of("a", "b", "c")) {
            cni.call(variables("ADD", pod + container, netns), of(network, ""));
        }
        cni.call(variables("ADD", pod, netns), of("other-" + pod, ""));

        assertThat(cni.call(gc, of(network, "")).exit())
                .as("no list, nothing done")
                .isZero();
        assertThat(containers(network)).hasSize(3);

        String valid = ",\"cni.dev/valid-attachments\":[{\"containerID\":\"" + pod + "a\",\"ifname\":\"eth0\"}],"
                + "\"cni.dev/attachments\":[{\"containerID\":\"" + pod + "b\",\"ifname\":\"eth0\"},"
                + "{\"containerID\":\"" + pod + "c\",\"ifname\":\"eth7\"}]";
        assertThat(cni.call(gc, of(network, valid))).isEqualTo(new CniClient.Told(0, "", ""));
        assertThat(containers(network)).containsExactly(pod + "a", pod + "b");

        assertThat(cni.call(gc, of(network, ",\"cni.dev/valid-attachments\":[]"))
                        .exit())
                .isZero();
        assertThat(containers(network)).isEmpty();
        assertThat(containers("other-" + pod)).containsExactly(pod);
        cni.call(variables("DEL", pod, netns), of("other-" + pod, ""));
    }

    @Test
    void statusIsSilentWhileAnAddCouldBeServed() {
        assertThat(cni.call(Map.of("CNI_COMMAND", "STATUS"), conf("1.1.0", "")))
                .isEqualTo(new CniClient.Told(0, "", ""));
    }

    @Test
    void versionNeedsNothingAndTellsTheVersionThatWasAskedIn() {
        CniClient.Told bare = cni.call(Map.of("CNI_COMMAND", "VERSION"), "");
        assertThat(bare.exit()).isZero();
        assertThat(bare.stdout())
                .isEqualTo("{\"cniVersion\":\"1.1.0\",\"supportedVersions\":"
                        + "[\"0.1.0\",\"0.2.0\",\"0.3.0\",\"0.3.1\",\"0.4.0\",\"1.0.0\",\"1.1.0\"]}\n");
        assertThat(cni.call(Map.of("CNI_COMMAND", "VERSION"), "{\"cniVersion\":\"0.4.0\"}")
                        .json()
                        .path("cniVersion")
                        .asText())
                .isEqualTo("0.4.0");
    }

    @Test
    void withoutACommandPeopleAreToldWhatItIs() {
        CniClient.Told told = cni.call(Map.of(), "");
        assertThat(told.exit()).isZero();
        assertThat(told.stdout()).isEmpty();
        assertThat(told.stderr()).contains("CNI protocol versions supported: 0.1.0, 0.2.0, ");
    }

    @Test
    void anErrorIsJsonOnStdoutWithTheVersionOfTheConfiguration() {
        CniClient.Told told = cni.call(Map.of("CNI_COMMAND", "ADD"), conf("0.4.0", ""));
        assertThat(told.exit()).isEqualTo(1);
        assertThat(told.stdout())
                .isEqualTo("{\"cniVersion\":\"0.4.0\",\"code\":4,\"msg\":\"required env variables "
                        + "[CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME] missing\",\"details\":"
                        + "\"the variables of a call are the runtime's: its log tells of it\"}\n");
        assertThat(told.stderr()).startsWith("enipam-cni: ");
        assertThat(cni.call(variables("ADD", pod, netns), "nonsense").code()).isEqualTo(6);
        assertThat(cni.call(variables("ADD", pod, netns), conf("9.0.0", "")).code())
                .isEqualTo(1);
        assertThat(cni.call(variables("CHECK", pod, netns), conf("0.3.1", "")).code())
                .isEqualTo(1);
    }

    @Test
    void theDaemonsOwnNetworkNamespaceIsNoPods() {
        CniClient.Told told = cni.call(variables("ADD", pod, "/proc/self/ns/net"), conf("1.0.0", ""));
        assertThat(told.code()).isEqualTo(8);
        assertThat(told.message()).contains("CNI_NETNS /proc/self/ns/net is the network namespace of the daemon");
        assertThat(cni.call(variables("ADD", pod, "/proc/self/ns/net", "CNI_NETNS_OVERRIDE", "1"), conf("1.0.0", ""))
                        .exit())
                .isZero();
        assertThat(cni.call(variables("DEL", pod, "/proc/self/ns/net"), conf("1.0.0", ""))
                        .exit())
                .as("what was refused or allowed is cleared away")
                .isZero();
        assertThat(cni.call(variables("ADD", pod, "/run/netns/gone"), conf("1.0.0", ""))
                        .message())
                .contains("CNI_NETNS /run/netns/gone does not exist here");
    }

    @Test
    void aSandboxHasOnePod() {
        cni.call(variables("ADD", pod, netns), conf("1.0.0", ""));
        CniClient.Told told = cni.call(
                variables("ADD", pod, netns, "CNI_ARGS", "K8S_POD_NAMESPACE=default;K8S_POD_NAME=somebody"),
                conf("1.0.0", ""));
        assertThat(told.code()).isEqualTo(4);
        assertThat(told.message()).contains("belongs to pod default/" + pod);
        del("1.0.0");
    }

    @Test
    void sixteenMegabytesOnStandardInputAreServed() {
        String pad = "\"pad\":\"" + "x".repeat((16 << 20) - 500) + "\"";
        assertThat(cni.call(variables("ADD", pod, netns), conf("1.0.0", pad)).exit())
                .isZero();
        del("1.0.0");
    }

    @Test
    void theStoryOfACallSaysThatTheCniAsked() {
        cni.call(variables("ADD", pod, netns), conf("1.0.0", ""));
        del("1.0.0");
        StringBuilder story = new StringBuilder();
        daemon.client()
                .inspect()
                .getTrace(GetTraceRequest.newBuilder().setTarget(pod).build())
                .forEachRemaining(story::append);
        assertThat(story.toString()).contains("key: \"by\"").contains("value: \"cni\"");
    }

    private void del(String version) {
        assertThat(cni.call(variables("DEL", pod, netns), conf(version, ""))).isEqualTo(new CniClient.Told(0, "", ""));
    }

    private static String of(String network, String more) {
        return "{\"cniVersion\":\"1.1.0\",\"name\":\"" + network + "\",\"type\":\"enipam-cni\"" + more + "}";
    }

    private static Lease lease(String pod) {
        return leases().stream()
                .filter(lease -> lease.getPod().equals("default/" + pod))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> containers(String network) {
        return leases().stream()
                .filter(lease -> lease.getOwner().getNetwork().equals(network))
                .map(lease -> lease.getOwner().getContainer())
                .sorted()
                .toList();
    }

    private static List<Lease> leases() {
        return daemon.client().pods().stream()
                .flatMap(pod -> pod.getLeasesList().stream())
                .toList();
    }
}

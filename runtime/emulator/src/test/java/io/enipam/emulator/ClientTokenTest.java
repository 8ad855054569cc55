package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class ClientTokenTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud();

    @Test
    void theSameTokenAndParametersGetTheFirstAnswerAndOneEni() {
        JsonNode first = cloud.createAnswer("ClientToken", "t-1").json();
        JsonNode again = cloud.createAnswer("ClientToken", "t-1").json();

        assertThat(withoutRequestId(again)).isEqualTo(withoutRequestId(first));
        assertThat(again.path("RequestId")).isNotEqualTo(first.path("RequestId"));
        assertThat(cloud.emulator.snapshot().enis()).hasSize(2);
    }

    @Test
    void tokensAreCaseSensitive() {
        assertThat(cloud.create("ClientToken", "t")).isNotEqualTo(cloud.create("ClientToken", "T"));
    }

    @Test
    void aTokenWithOtherParametersIsRefused() {
        cloud.create("ClientToken", "t-1");

        assertThat(cloud.createAnswer("ClientToken", "t-1", "Description", "other")
                        .error())
                .isEqualTo("400 IdempotentParameterMismatch");
        assertThat(cloud.emulator.snapshot().enis()).hasSize(2);
    }

    @Test
    void assignIsIdempotentToo() {
        String eni = cloud.attached();
        String[] call = {"NetworkInterfaceId", eni, "SecondaryPrivateIpAddressCount", "4", "ClientToken", "t-1"};

        JsonNode first = cloud.ok("AssignPrivateIpAddresses", call);
        assertThat(withoutRequestId(cloud.ok("AssignPrivateIpAddresses", call))).isEqualTo(withoutRequestId(first));
        assertThat(cloud.emulator.snapshot().eni(eni).orElseThrow().addresses().privateIps())
                .hasSize(5);
    }

    @Test
    void aRefusedCallDoesNotUseUpItsToken() {
        assertThat(cloud.createAnswer("ClientToken", "t-1", "VSwitchId", "vsw-none")
                        .status())
                .isEqualTo(404);

        assertThat(cloud.createAnswer("ClientToken", "t-1").status()).isEqualTo(200);
    }

    @Test
    void aTokenIsForgottenAfterADay() {
        String first = cloud.create("ClientToken", "t-1");
        cloud.clock.advance(Duration.ofHours(25));

        assertThat(cloud.create("ClientToken", "t-1")).isNotEqualTo(first);
    }

    @Test
    void aTokenMustBeShortAndAscii() {
        assertThat(cloud.createAnswer("ClientToken", "x".repeat(64)).status()).isEqualTo(200);
        assertThat(cloud.createAnswer("ClientToken", "x".repeat(65)).error()).isEqualTo("400 InvalidClientToken");
        assertThat(cloud.createAnswer("ClientToken", "tökén").error()).isEqualTo("400 InvalidClientToken");
    }

    @Test
    void aTokenIsItsActionsAlone() {
        String eni = cloud.create("ClientToken", "t-1");

        assertThat(cloud.call(
                                "AssignPrivateIpAddresses",
                                "NetworkInterfaceId",
                                eni,
                                "SecondaryPrivateIpAddressCount",
                                "1",
                                "ClientToken",
                                "t-1")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void theFirstAnswerIsGivenAgainThoughTheEniIsGone() {
        String eni = cloud.create("ClientToken", "t-1");
        cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);

        assertThat(cloud.create("ClientToken", "t-1")).isEqualTo(eni);
        assertThat(cloud.emulator.snapshot().enis()).hasSize(1);
    }

    @Test
    void theSignatureAndTheWayOfSendingAreNoOtherParameters() {
        Map<String, String> asked = new TreeMap<>(
                Map.of("VSwitchId", TestCloud.VSWITCH, "SecurityGroupId", cloud.securityGroup(), "ClientToken", "t-1"));
        asked.put("RegionId", "cn-hangzhou");
        String first = cloud.createAnswer("ClientToken", "t-1")
                .json()
                .path("NetworkInterfaceId")
                .asText();
        HeaderSigner signer = new HeaderSigner(cloud.client.uri(""), cloud.clock);
        Map<String, String> params = cloud.client.parameters("CreateNetworkInterface");
        params.putAll(asked);

        assertThat(cloud.client
                        .send(signer.post("CreateNetworkInterface", Map.of(), asked))
                        .json()
                        .path("NetworkInterfaceId")
                        .asText())
                .isEqualTo(first);
        assertThat(cloud.client
                        .postForm(TestClient.sign("POST", params))
                        .json()
                        .path("NetworkInterfaceId")
                        .asText())
                .isEqualTo(first);
    }

    @Test
    void oneTokenSentByManyAtOnceMakesOneEni() throws Exception {
        String group = cloud.securityGroup();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<String>> calls = Collections.nCopies(
                    32,
                    () -> cloud.ok(
                                    "CreateNetworkInterface",
                                    "VSwitchId",
                                    TestCloud.VSWITCH,
                                    "SecurityGroupId",
                                    group,
                                    "ClientToken",
                                    "t-1")
                            .path("NetworkInterfaceId")
                            .asText());
            Set<String> enis = new HashSet<>();
            for (Future<String> eni : threads.invokeAll(calls)) {
                enis.add(eni.get());
            }
            assertThat(enis).hasSize(1);
            assertThat(cloud.emulator.snapshot().enis()).hasSize(2);
        } finally {
            threads.shutdownNow();
        }
    }

    private static JsonNode withoutRequestId(JsonNode answer) {
        ObjectNode copy = answer.deepCopy();
        copy.remove("RequestId");
        return copy;
    }
}

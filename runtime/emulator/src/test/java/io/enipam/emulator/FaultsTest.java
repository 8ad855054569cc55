package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.emulator.TestClient.Answer;
import io.enipam.emulator.cloud.CloudSnapshot.EniEntry;
import io.enipam.emulator.fault.Effect.Delay;
import io.enipam.emulator.fault.Effect.DropAnswer;
import io.enipam.emulator.fault.Effect.DropRequest;
import io.enipam.emulator.fault.Effect.Fail;
import io.enipam.emulator.fault.Effect.Stick;
import io.enipam.emulator.fault.Effect.Tear;
import io.enipam.emulator.fault.Effect.Throttle;
import io.enipam.emulator.fault.Effect.TruncationPoint;
import io.enipam.emulator.fault.FaultRule;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What goes wrong when a test wants it, as a client sees it over HTTP and as the books have it. */
class FaultsTest {
    private static final String ASSIGN = "AssignPrivateIpAddresses";
    private static final String DETACH = "DetachNetworkInterface";
    private static final JsonMapper JSON = new JsonMapper();

    @AutoClose
    private final TestCloud cloud = new TestCloud();

    @Test
    void aCallThatIsRefusedByARuleHasTheCodesStatusAndBodyAndDoesNothing() {
        String eni = cloud.attached();
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).nth(1).fail("Operation.Conflict"));

        Answer refused = assign(eni);
        assertThat(refused.error()).isEqualTo("403 Operation.Conflict");
        assertThat(refused.json().fieldNames())
                .toIterable()
                .containsExactly("RequestId", "HostId", "Code", "Message", "Recommend");
        assertThat(addresses(eni)).isEqualTo(1);
        assertThat(assign(eni).status()).isEqualTo(200);
    }

    @Test
    void anAnswerThatIsLostLeavesTheWorkDone() {
        String eni = cloud.attached();
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).atMost(1).does(new DropAnswer()));

        assertThatThrownBy(() -> assign(eni)).isInstanceOf(UncheckedIOException.class);
        assertThat(addresses(eni)).isEqualTo(2);
        assertThat(assign(eni).status()).isEqualTo(200);
        assertThat(addresses(eni)).isEqualTo(3);
    }

    @Test
    void aRequestThatIsLostLeavesNothingDone() {
        String eni = cloud.attached();
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).atMost(1).does(new DropRequest()));

        assertThatThrownBy(() -> assign(eni)).isInstanceOf(UncheckedIOException.class);
        assertThat(addresses(eni)).isEqualTo(1);
    }

    @Test
    void anErrorAfterTheWorkLies() {
        String eni = cloud.attached();
        cloud.emulator
                .faults()
                .add(FaultRule.on(ASSIGN)
                        .atMost(1)
                        .does(Fail.known("InternalError", true).orElseThrow()));

        assertThat(assign(eni).error()).isEqualTo("500 InternalError");
        assertThat(addresses(eni)).isEqualTo(2);
    }

    @Test
    void aTornAnswerIsNoticedByItsLength() {
        String eni = cloud.attached();
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).nth(1).does(new Tear(TruncationPoint.STRING, true)));
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).nth(1).does(new Tear(TruncationPoint.START, true)));

        assertThatThrownBy(() -> assign(eni)).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> assign(eni)).isInstanceOf(UncheckedIOException.class);
        assertThat(addresses(eni)).isEqualTo(3);
    }

    @Test
    void aTornAnswerWithTheLengthOfThePartIsNoticedByItsContentAlone() {
        String eni = cloud.attached();
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).nth(1).does(new Tear(TruncationPoint.STRING, false)));
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).nth(1).does(new Tear(TruncationPoint.ELSEWHERE, false)));
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).nth(1).does(new Tear(TruncationPoint.START, false)));

        Answer inString = assign(eni);
        Answer elsewhere = assign(eni);
        Answer nothing = assign(eni);
        for (Answer torn : List.of(inString, elsewhere)) {
            assertThat(torn.status()).isEqualTo(200);
            assertThat(torn.text()).startsWith("{");
            assertThatThrownBy(() -> JSON.readTree(torn.text())).isInstanceOf(JsonProcessingException.class);
        }
        assertThat(nothing.text()).isEmpty();
        assertThat(addresses(eni)).isEqualTo(4);
    }

    @Test
    void aDelayedCallTakesThatMuchLonger() {
        String eni = cloud.attached();
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).atMost(1).does(new Delay(Duration.ofMillis(300))));

        long begun = System.nanoTime();
        assertThat(assign(eni).status()).isEqualTo(200);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        assertThat(addresses(eni)).isEqualTo(2);
    }

    @Test
    void aCallerThatGivesUpOnADelayedCallFindsTheWorkDoneLater() {
        String eni = cloud.attached();
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).atMost(1).does(new Delay(Duration.ofSeconds(8))));
        HttpRequest hasty = HttpRequest.newBuilder(cloud.client.uri("?" + TestClient.encode(assignment(eni))))
                .POST(BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(5)) // by then the call has come, also on a busy machine
                .build();

        assertThatThrownBy(() -> HttpClient.newHttpClient().send(hasty, BodyHandlers.ofString()))
                .isInstanceOf(HttpTimeoutException.class);
        await().atMost(Duration.ofSeconds(30)).until(() -> addresses(eni) == 2);
    }

    @Test
    void anEniThatSticksStaysUntilTheCallIsMadeAgain() {
        String eni = cloud.attached();
        cloud.emulator.faults().add(FaultRule.on(DETACH).atMost(1).does(new Stick(true)));

        detach(eni);
        cloud.clock.advance(Duration.ofDays(1));
        assertThat(cloud.status(eni)).isEqualTo("Detaching");
        assertThat(assign(eni).error()).isEqualTo("400 InvalidOperation.InvalidEniState");
        assertThat(cloud.status(eni)).isEqualTo("Detaching");
        detach(eni);
        assertThat(cloud.status(eni)).isEqualTo("Available");
    }

    @Test
    void anEniThatSticksForGoodIsNotFreedByAnotherCall() {
        String eni = cloud.create();
        cloud.emulator.faults().add(FaultRule.on("*").atMost(1).eni(eni).does(new Stick(false)));

        cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);
        cloud.ok("DeleteNetworkInterface", "NetworkInterfaceId", eni);
        assertThat(cloud.status(eni)).isEqualTo("Deleting");
    }

    @Test
    void aThrottledApiIsRefusedUntilTheMinuteIsOver() {
        String eni = cloud.attached();
        cloud.clock.advance(Duration.ofSeconds(10));
        cloud.emulator.faults().add(FaultRule.on(ASSIGN).atMost(1).does(new Throttle()));

        assertThat(assign(eni).error()).isEqualTo("400 Throttling.User");
        assertThat(assign(eni).error()).isEqualTo("400 Throttling.User");
        assertThat(cloud.call("DescribeInstances").status()).isEqualTo(200);
        cloud.clock.advance(Duration.ofSeconds(50));
        assertThat(assign(eni).status()).isEqualTo(200);
    }

    @Test
    void theMetadataServiceFailsOnThePathsOfARuleAlone() {
        TestClient http = new TestClient(cloud.emulator.metadataAddress(), cloud.clock);
        cloud.emulator
                .faults()
                .add(FaultRule.on("metadata/ram/").does(new Fail(503, "ServiceUnavailable", "come again", false)));
        cloud.emulator
                .faults()
                .add(FaultRule.on("metadata/instance-id").does(new Tear(TruncationPoint.ELSEWHERE, true)));

        assertThat(get(http, "latest/meta-data/ram/security-credentials/").status())
                .isEqualTo(503);
        assertThat(get(http, "latest/meta-data/mac").status()).isEqualTo(200);
        assertThatThrownBy(() -> get(http, "latest/meta-data/instance-id")).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void aCallThatNobodySignedIsRefusedBeforeAnyRuleSeesIt() {
        cloud.emulator.faults().add(FaultRule.on("*").does(new DropAnswer()));

        assertThat(cloud.client
                        .get(cloud.client.parameters("DescribeInstances"))
                        .error())
                .isEqualTo("400 MissingSignature");
        assertThat(cloud.emulator.faults().list().get(0).seen()).isZero();
    }

    private Answer assign(String eni) {
        // a lost GET would be sent again by the JDK's client, unseen
        return cloud.client.postForm(assignment(eni));
    }

    private Map<String, String> assignment(String eni) {
        return TestClient.sign(
                "POST",
                cloud.client.parameters(ASSIGN, "NetworkInterfaceId", eni, "SecondaryPrivateIpAddressCount", "1"));
    }

    private void detach(String eni) {
        cloud.ok(DETACH, "NetworkInterfaceId", eni, "InstanceId", cloud.instance());
    }

    private int addresses(String eni) {
        EniEntry entry = cloud.emulator.snapshot().eni(eni).orElseThrow();
        return entry.addresses().privateIps().size();
    }

    private static Answer get(TestClient http, String path) {
        return http.send(HttpRequest.newBuilder(http.uri(path)));
    }
}

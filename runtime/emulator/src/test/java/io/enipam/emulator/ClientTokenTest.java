package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientTokenTest {
    private final TestCloud cloud = new TestCloud();

    @AfterEach
    void stop() {
        cloud.close();
    }

    @Test
    void theSameTokenAndParametersGetTheFirstAnswerAndOneEni() {
        JsonNode first = cloud.createAnswer("ClientToken", "t-1").json();
        JsonNode again = cloud.createAnswer("ClientToken", "t-1").json();

        assertThat(withoutRequestId(again)).isEqualTo(withoutRequestId(first));
        assertThat(again.path("RequestId")).isNotEqualTo(first.path("RequestId"));
        assertThat(cloud.emulator.books().enis()).hasSize(2);
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
        assertThat(cloud.emulator.books().enis()).hasSize(2);
    }

    @Test
    void assignIsIdempotentToo() {
        String eni = cloud.attached();
        String[] call = {"NetworkInterfaceId", eni, "SecondaryPrivateIpAddressCount", "4", "ClientToken", "t-1"};

        JsonNode first = cloud.ok("AssignPrivateIpAddresses", call);
        assertThat(withoutRequestId(cloud.ok("AssignPrivateIpAddresses", call))).isEqualTo(withoutRequestId(first));
        assertThat(cloud.emulator.books().eni(eni).orElseThrow().privateIps()).hasSize(5);
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

    private static JsonNode withoutRequestId(JsonNode answer) {
        ObjectNode copy = answer.deepCopy();
        copy.remove("RequestId");
        return copy;
    }
}

package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.emulator.TestClient.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls signed by version 3: common parameters in headers. */
class HeaderSignedCallTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud();

    private final HeaderSigner signer = new HeaderSigner(cloud.client.uri(""), cloud.clock);

    @Test
    void parametersMayBeInTheQuery() {
        Answer answer =
                send(signer.get("DescribeInstances", Map.of("RegionId", "cn-hangzhou", "InstanceName", "a b*~/&=+ü")));

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.contentType()).isEqualTo("application/json;charset=utf-8");
        assertThat(cloud.emulator.snapshot().callsOf("DescribeInstances")).isEqualTo(1);
    }

    @Test
    void parametersMayBeInTheFormOrInBoth() {
        Map<String, String> form = Map.of("VSwitchId", TestCloud.VSWITCH, "Description", "in the form: ü +");
        Answer answer =
                send(signer.post("CreateNetworkInterface", Map.of("SecurityGroupId", cloud.securityGroup()), form));

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.json().path("Description").asText()).isEqualTo("in the form: ü +");
    }

    @Test
    void theAcceptHeaderChoosesTheFormat() {
        signer.extraHeaders.put("accept", "application/xml");
        Answer xml = send(signer.get("DescribeInstances", Map.of()));

        assertThat(xml.contentType()).isEqualTo("text/xml;charset=utf-8");
        assertThat(send(signer.get("DescribeInstances", Map.of("Format", "JSON")))
                        .contentType())
                .isEqualTo("application/json;charset=utf-8");
    }

    @Test
    void aBodyThatWasChangedOnTheWayIsRefused() {
        HttpRequest.Builder request = signer.post("DescribeInstances", Map.of(), Map.of("InstanceName", "one"));

        assertThat(send(request.POST(BodyPublishers.ofString("InstanceName=two")))
                        .error())
                .isEqualTo("400 SignatureDoesNotMatch");
    }

    @Test
    void aWrongSignatureIsToldWhatTheServerSigned() {
        signer.accessKeySecret = "another secret";
        Answer answer = send(signer.get("DescribeInstances", Map.of("InstanceName", "x")));

        assertThat(answer.error()).isEqualTo("400 SignatureDoesNotMatch");
        String message = answer.json().path("Message").asText();
        String canonical = message.substring(message.indexOf('[') + 1, message.indexOf("], server string"));
        assertThat(canonical).startsWith("GET\n/\nInstanceName=x\nhost:127.0.0.1:");
        assertThat(message).endsWith("string to sign is:" + HeaderSigner.stringToSign(canonical));
    }

    @ParameterizedTest
    @CsvSource({
        "x-acs-date, yesterday, 400 InvalidTimeStamp.Format",
        "x-acs-date, 2026-03-01T11:44:59Z, 400 InvalidTimeStamp.Expired",
        "x-acs-date, 2026-03-01T12:15:01Z, 400 InvalidTimeStamp.Expired",
        "x-acs-action, DropTables, 404 InvalidAction.NotFound",
        "x-acs-version, 2013-01-10, 400 InvalidVersion",
        "x-acs-signature-nonce, '', 400 MissingSignatureNonce",
        "x-acs-security-token, tok, 400 InvalidSecurityToken.MismatchWithAccessKey"
    })
    void aCallWithABadHeaderIsRefused(String name, String value, String error) {
        signer.extraHeaders.put(name, value);

        assertThat(send(signer.get("DescribeInstances", Map.of())).error()).isEqualTo(error);
    }

    @Test
    void aHeaderThatIsNotSignedIsRefused() {
        signer.unsignedHeaders.put("x-acs-owner", "mallory");

        assertThat(send(signer.get("DescribeInstances", Map.of())).error()).isEqualTo("400 IncompleteSignature");
    }

    @Test
    void aReplayedCallIsRefused() {
        signer.extraHeaders.put("x-acs-signature-nonce", "once");

        assertThat(send(signer.get("DescribeInstances", Map.of())).status()).isEqualTo(200);
        assertThat(send(signer.get("DescribeInstances", Map.of())).error()).isEqualTo("400 SignatureNonceUsed");
    }

    @Test
    void anUnknownKeyIsRefused() {
        signer.accessKeyId = "nobody";

        assertThat(send(signer.get("DescribeInstances", Map.of())).error())
                .isEqualTo("404 InvalidAccessKeyId.NotFound");
    }

    @Test
    void credentialsOfTheRoleNeedTheirTokenWhileItIsGood() {
        JsonNode role = role();
        signer.accessKeyId = role.path("AccessKeyId").asText();
        signer.accessKeySecret = role.path("AccessKeySecret").asText();
        assertThat(send(signer.get("DescribeInstances", Map.of())).error()).isEqualTo("400 MissingSecurityToken");

        signer.extraHeaders.put("x-acs-security-token", "forged");
        assertThat(send(signer.get("DescribeInstances", Map.of())).error())
                .isEqualTo("400 InvalidSecurityToken.Malformed");

        signer.extraHeaders.put(
                "x-acs-security-token", role.path("SecurityToken").asText());
        assertThat(send(signer.get("DescribeInstances", Map.of())).status()).isEqualTo(200);

        cloud.clock.advance(Duration.ofDays(2));
        assertThat(send(signer.get("DescribeInstances", Map.of())).error())
                .isEqualTo("400 InvalidSecurityToken.Expired");
    }

    private JsonNode role() {
        String path = "latest/meta-data/ram/security-credentials/";
        URI base = URI.create(
                "http://127.0.0.1:" + cloud.emulator.metadataAddress().getPort() + "/" + path);
        String name = send(HttpRequest.newBuilder(base)).text();
        try {
            return new JsonMapper()
                    .readTree(send(HttpRequest.newBuilder(base.resolve(name))).text());
        } catch (IOException notJson) {
            throw new UncheckedIOException(notJson);
        }
    }

    private Answer send(HttpRequest.Builder request) {
        return cloud.client.send(request);
    }
}

package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.emulator.TestClient.Answer;
import io.enipam.emulator.api.ParameterSignature;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayTest {
    @AutoClose
    private final TestCloud cloud = new TestCloud();

    private final TestClient client = cloud.client;

    @Test
    void aSignedGetIsAnsweredInJson() {
        Answer answer = client.call("DescribeInstances");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.contentType()).isEqualTo("application/json;charset=utf-8");
        assertThat(answer.json().path("RequestId").asText()).matches("[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}");
    }

    @Test
    void aPostMayCarryItsParametersInTheFormOrInTheQuery() {
        Answer form = client.postForm(TestClient.sign("POST", client.parameters("DescribeInstances")));
        String query = TestClient.encode(TestClient.sign("POST", client.parameters("DescribeInstances")));
        Answer inQuery =
                client.send(HttpRequest.newBuilder(client.uri("?" + query)).POST(BodyPublishers.noBody()));

        assertThat(form.status()).isEqualTo(200);
        assertThat(inQuery.status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "Action, 400 MissingAction",
        "Version, 400 MissingVersion",
        "AccessKeyId, 400 MissingAccessKeyId",
        "Timestamp, 400 MissingTimestamp",
        "SignatureNonce, 400 MissingSignatureNonce",
        "SignatureMethod, 400 IncompleteSignature",
        "SignatureVersion, 400 IncompleteSignature"
    })
    void aCallWithoutACommonParameterIsRefused(String name, String error) {
        Map<String, String> params = client.parameters("DescribeInstances");
        params.remove(name);

        assertThat(client.get(TestClient.sign("GET", params)).error()).isEqualTo(error);
    }

    @ParameterizedTest
    @CsvSource({
        "Action, DropTables, 404 InvalidAction.NotFound",
        "Action, describeInstances, 404 InvalidAction.NotFound",
        "Version, 2013-01-10, 400 InvalidVersion",
        "Version, 2016-04-28, 404 InvalidAction.NotFound",
        "AccessKeyId, nobody, 404 InvalidAccessKeyId.NotFound",
        "Timestamp, yesterday, 400 InvalidTimeStamp.Format",
        "Timestamp, 2026-03-01T11:44:59Z, 400 InvalidTimeStamp.Expired",
        "Timestamp, 2026-03-01T12:15:01Z, 400 InvalidTimeStamp.Expired",
        "SignatureMethod, HMAC-MD5, 400 IncompleteSignature",
        "RegionId, cn-atlantis, 404 InvalidRegionId.NotFound"
    })
    void aCallWithABadCommonParameterIsRefused(String name, String value, String error) {
        Map<String, String> params = client.parameters("DescribeInstances", name, value);

        assertThat(client.get(TestClient.sign("GET", params)).error()).isEqualTo(error);
    }

    @Test
    void aTimestampInsideTheQuarterOfAnHourPasses() {
        String early = TestClient.timestamp(cloud.clock.instant().minus(Duration.ofMinutes(15)));

        assertThat(client.call("DescribeInstances", "Timestamp", early).status())
                .isEqualTo(200);
    }

    @Test
    void aWrongSignatureIsToldWhatTheServerSigned() {
        Map<String, String> params = client.parameters("DescribeInstances");
        Answer answer = client.get(TestClient.sign("GET", params, "another secret"));

        assertThat(answer.error()).isEqualTo("400 SignatureDoesNotMatch");
        assertThat(answer.json().path("Message").asText())
                .endsWith("string to sign is:" + ParameterSignature.stringToSign("GET", params));
    }

    @Test
    void aCallWithoutSignatureIsRefused() {
        assertThat(client.get(client.parameters("DescribeInstances")).error()).isEqualTo("400 MissingSignature");
    }

    @Test
    void parametersWithoutAValueAreSignedAndOtherwiseAbsent() {
        Map<String, String> params = client.parameters("DescribeInstances", "SignatureType", "", "VpcId", "");

        assertThat(client.get(TestClient.sign("GET", params))
                        .json()
                        .path("TotalCount")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void aTokenBesideAKeyThatHasNoneIsRefused() {
        assertThat(client.call("DescribeInstances", "SecurityToken", "tok").error())
                .isEqualTo("400 InvalidSecurityToken.MismatchWithAccessKey");
    }

    @Test
    void aPostMaySplitItsParametersBetweenQueryAndForm() {
        Map<String, String> all =
                TestClient.sign("POST", client.parameters("DescribeInstances", "InstanceName", "a b"));
        Map<String, String> form = new TreeMap<>(all);
        form.keySet().retainAll(Set.of("InstanceName", "Timestamp", "Signature"));
        Map<String, String> query = new TreeMap<>(all);
        query.keySet().removeAll(form.keySet());
        Answer answer = client.send(HttpRequest.newBuilder(client.uri("?" + TestClient.encode(query)))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(TestClient.encode(form))));

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }

    @Test
    void anErrorHasTheBodyOfTheRealCloud() {
        JsonNode body = client.call("DropTables").json();

        assertThat(body.fieldNames())
                .toIterable()
                .containsExactly("RequestId", "HostId", "Code", "Message", "Recommend");
        assertThat(body.path("HostId").asText()).isEqualTo("ecs.cn-hangzhou.aliyuncs.com");
    }

    @Test
    void aReplayedCallIsRefusedAndDoesNothing() {
        Map<String, String> call = TestClient.sign(
                "GET",
                client.parameters(
                        "CreateNetworkInterface",
                        "VSwitchId",
                        TestCloud.VSWITCH,
                        "SecurityGroupId",
                        cloud.securityGroup()));

        assertThat(client.get(call).status()).isEqualTo(200);
        assertThat(client.get(call).error()).isEqualTo("400 SignatureNonceUsed");
        assertThat(cloud.emulator.snapshot().enis()).hasSize(2);
    }

    @Test
    void withoutFormatTheAnswerIsXml() {
        Map<String, String> params = new TreeMap<>(client.parameters("DescribeNetworkInterfaces"));
        params.remove("Format");
        Answer answer = client.get(TestClient.sign("GET", params));

        assertThat(answer.contentType()).isEqualTo("text/xml;charset=utf-8");
        assertThat(answer.text())
                .contains("<DescribeNetworkInterfacesResponse><RequestId>")
                .contains("<PrivateIpSets><PrivateIpSet><PrivateIpAddress>10.0.0.1</PrivateIpAddress>");
    }

    @Test
    void callsAreCountedByActionOnceTheyAreSigned() {
        client.call("DescribeInstances");
        client.call("DescribeInstances", "PageSize", "many");
        client.get(client.parameters("DescribeInstances"));

        assertThat(cloud.emulator.snapshot().callsOf("DescribeInstances")).isEqualTo(2);
        assertThat(cloud.emulator.snapshot().callsOf("CreateNetworkInterface")).isZero();
    }

    @Test
    void textBeyondAsciiComesBackUnescaped() {
        String eni = cloud.create("Description", "网卡 “ü” *~", "Tag.1.Key", "k+ &=%", "Tag.1.Value", "v");
        String text = cloud.call("DescribeNetworkInterfaces", "NetworkInterfaceId.1", eni)
                .text();

        assertThat(text).contains("网卡 “ü” *~").contains("k+ &=%");
    }
}

package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.emulator.TestClient.Answer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MetadataTest {
    private static final String TTL = "X-aliyun-ecs-metadata-token-ttl-seconds";
    private static final String TOKEN = "X-aliyun-ecs-metadata-token";

    @AutoClose
    private final TestCloud cloud = new TestCloud();

    private final TestClient http = new TestClient(cloud.emulator.metadataAddress(), cloud.clock);

    @ParameterizedTest
    @CsvSource({
        "instance/instance-type, ecs.g7.xlarge",
        "region-id, cn-hangzhou",
        "zone-id, cn-hangzhou-i",
        "vpc-cidr-block, 10.0.0.0/16",
        "vswitch-id, vsw-enipam0",
        "vswitch-cidr-block, 10.0.0.0/24",
        "private-ipv4, 10.0.0.1",
        "hostname, node-0"
    })
    void theInstanceReadsWhatItIs(String path, String value) {
        assertThat(read(path)).isEqualTo(value);
    }

    @Test
    void idsAreThoseOfTheApi() {
        JsonNode instance = cloud.ok("DescribeInstances").at("/Instances/Instance/0");

        assertThat(read("instance-id")).isEqualTo(cloud.instance());
        assertThat(read("vpc-id")).isEqualTo(instance.at("/VpcAttributes/VpcId").asText());
        assertThat(read("mac"))
                .isEqualTo(instance.at("/NetworkInterfaces/NetworkInterface/0/MacAddress")
                        .asText());
    }

    @Test
    void attachedEnisAreListedByMac() {
        String eni = cloud.attached("PrivateIpAddress.1", "10.0.0.50");
        cloud.create();
        JsonNode found = cloud.ok("DescribeNetworkInterfaces", "NetworkInterfaceId.1", eni)
                .at("/NetworkInterfaceSets/NetworkInterfaceSet/0");
        String mac = found.path("MacAddress").asText();
        String base = "network/interfaces/macs/" + mac + "/";

        assertThat(read("network/interfaces/macs/").lines()).containsExactlyInAnyOrder(mac + "/", read("mac") + "/");
        assertThat(read(base).lines()).contains("network-interface-id", "private-ipv4s");
        assertThat(read(base + "network-interface-id")).isEqualTo(eni);
        assertThat(read(base + "primary-ip-address")).isEqualTo("10.0.0.2");
        assertThat(read(base + "private-ipv4s")).isEqualTo("[\"10.0.0.2\",\"10.0.0.50\"]");
        assertThat(read(base + "netmask")).isEqualTo("255.255.255.0");
        assertThat(read(base + "gateway")).isEqualTo("10.0.0.253");
        assertThat(read(base + "vswitch-id")).isEqualTo(TestCloud.VSWITCH);
        assertThat(read(base + "vswitch-cidr-block")).isEqualTo("10.0.0.0/24");
        assertThat(read(base + "vpc-cidr-block")).isEqualTo("10.0.0.0/16");
        assertThat(get("/latest/meta-data/" + base + "ipv6s").status()).isEqualTo(404);

        cloud.ok("DetachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", cloud.instance());
        assertThat(read("network/interfaces/macs").lines()).containsExactly(read("mac") + "/");
    }

    @Test
    void directoriesAreListedWithSlashes() {
        assertThat(get("/latest/").text()).isEqualTo("meta-data/");
        assertThat(read("").lines()).contains("instance-id", "network/", "ram/");
        assertThat(read("ram/security-credentials/")).isEqualTo("EnipamCloudRole");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/", "/latest/meta-data/nothing", "/latest/meta-dat", "/oldest/meta-data/mac", "/latest/../x"})
    void otherPathsAreNotFound(String path) {
        assertThat(get(path).status()).isEqualTo(404);
    }

    @Test
    void aTokenThatIsSentMustBeGood() {
        Answer token = put("/latest/api/token", "60");
        assertThat(token.status()).isEqualTo(200);

        assertThat(withToken(token.text()).text()).isEqualTo(cloud.instance());
        assertThat(withToken("forged").status()).isEqualTo(403);
        assertThat(withToken("99999999999-00").status()).isEqualTo(403);
        cloud.clock.advance(Duration.ofSeconds(61));
        assertThat(withToken(token.text()).status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "21601", "-1", "x", "99999999999"})
    void aTokenLivesOneSecondToSixHours(String ttl) {
        assertThat(put("/latest/api/token", ttl).status()).isEqualTo(400);
        assertThat(put("/latest/api/token", "21600").status()).isEqualTo(200);
        assertThat(put("/latest/meta-data/mac", "60").status()).isEqualTo(404);
    }

    @Test
    void eachInstanceHasAServiceOfItsOwnAndReadsOfItselfAlone() {
        try (TestCloud two =
                new TestCloud(EmulatorConfig.defaults().withInstanceTypes("ecs.g7.xlarge", "ecs.g7.large"))) {
            for (String instance : two.emulator.instanceIds()) {
                TestClient own = new TestClient(two.emulator.metadataAddress(instance), two.clock);
                assertThat(own.send(HttpRequest.newBuilder(own.uri("latest/meta-data/instance-id")))
                                .text())
                        .isEqualTo(instance);
                assertThat(own.send(HttpRequest.newBuilder(own.uri("latest/meta-data/network/interfaces/macs/")))
                                .text()
                                .lines())
                        .hasSize(1);
            }
            assertThatThrownBy(() -> two.emulator.metadataAddress("i-none"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theRolesOldSpellingIsUnderstood() {
        TestClient client = new TestClient(cloud.emulator.metadataAddress(), cloud.clock);
        String role = client.send(HttpRequest.newBuilder(client.uri("latest/meta-data/ram/security-credentials/")))
                .text();

        assertThat(client.send(HttpRequest.newBuilder(client.uri("latest/meta-data/Ram/security-credentials/" + role)))
                        .json()
                        .path("Code")
                        .asText())
                .isEqualTo("Success");
    }

    @Test
    void otherMethodsAreRefused() {
        HttpRequest.Builder request = HttpRequest.newBuilder(http.uri("latest/meta-data/mac"));

        assertThat(http.send(request.DELETE()).status()).isEqualTo(405);
    }

    @Test
    void theRolesCredentialsOpenTheApiUntilTheyExpire() {
        JsonNode role = get("/latest/meta-data/ram/security-credentials/EnipamCloudRole")
                .json();
        assertThat(role.path("Code").asText()).isEqualTo("Success");

        assertThat(callAs(role, role.path("SecurityToken").asText()).status()).isEqualTo(200);
        assertThat(callAs(role, "").error()).isEqualTo("400 MissingSecurityToken");
        assertThat(callAs(role, "forged").error()).isEqualTo("400 InvalidSecurityToken.Malformed");
        cloud.clock.advance(Duration.ofHours(6));
        assertThat(callAs(role, role.path("SecurityToken").asText()).error())
                .isEqualTo("400 InvalidSecurityToken.Expired");
        JsonNode next = get("/latest/meta-data/ram/security-credentials/EnipamCloudRole")
                .json();
        assertThat(callAs(next, next.path("SecurityToken").asText()).status()).isEqualTo(200);
    }

    private Answer callAs(JsonNode role, String token) {
        Map<String, String> call = cloud.client.parameters(
                "DescribeInstances", "AccessKeyId", role.path("AccessKeyId").asText(), "SecurityToken", token);
        return cloud.client.get(
                TestClient.sign("GET", call, role.path("AccessKeySecret").asText()));
    }

    private String read(String path) {
        Answer answer = get("/latest/meta-data/" + path);
        assertThat(answer.status()).as(path).isEqualTo(200);
        return answer.text();
    }

    private Answer get(String path) {
        return http.send(HttpRequest.newBuilder(http.uri(path.substring(1))));
    }

    private Answer put(String path, String ttl) {
        return http.send(HttpRequest.newBuilder(http.uri(path.substring(1)))
                .header(TTL, ttl)
                .PUT(BodyPublishers.noBody()));
    }

    private Answer withToken(String token) {
        return http.send(
                HttpRequest.newBuilder(http.uri("latest/meta-data/instance-id")).header(TOKEN, token));
    }
}

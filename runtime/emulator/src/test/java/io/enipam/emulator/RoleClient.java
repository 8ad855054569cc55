package io.enipam.emulator;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.emulator.TestClient.Answer;
import io.enipam.emulator.api.Account;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.Map;

/** Reads the credentials of the instance's role and calls the API with them. */
final class RoleClient {
    private final TestCloud cloud;
    private final TestClient metadata;

    RoleClient(TestCloud cloud) {
        this.cloud = cloud;
        this.metadata = new TestClient(cloud.emulator.metadataAddress(), cloud.clock);
    }

    record Keys(String id, String secret, String token, Instant expires) {}

    Keys read() {
        JsonNode json = metadata.send(HttpRequest.newBuilder(
                        metadata.uri("latest/meta-data/ram/security-credentials/" + Account.ROLE)))
                .json();
        return new Keys(
                json.path("AccessKeyId").asText(),
                json.path("AccessKeySecret").asText(),
                json.path("SecurityToken").asText(),
                Instant.parse(json.path("Expiration").asText()));
    }

    Answer call(Keys keys) {
        Map<String, String> call =
                cloud.client.parameters("DescribeInstances", "AccessKeyId", keys.id(), "SecurityToken", keys.token());
        return cloud.client.get(TestClient.sign("GET", call, keys.secret()));
    }
}

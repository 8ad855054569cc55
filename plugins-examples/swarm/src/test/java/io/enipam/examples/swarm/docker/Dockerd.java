package io.enipam.examples.swarm.docker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.sdk.HttpReply;
import io.enipam.sdk.HttpRequest;
import io.enipam.sdk.Peer;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The requests of one process of dockerd, in the bytes that Docker 20.10 was seen to send.
 *
 * @param pid by which the driver knows it
 */
record Dockerd(DockerIpam driver, int pid) {
    static final String GATEWAY = "{\"RequestAddressType\":\"com.docker.network.gateway\"}";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A network as dockerd keeps it. */
    record Network(String poolId, String pool, String gateway) {}

    private record Post(String method, String path, String sent, Optional<Peer> peer) implements HttpRequest {
        @Override
        public Map<String, List<String>> parameters() {
            return Map.of();
        }

        @Override
        public Map<String, List<String>> headers() {
            return Map.of("host", List.of(""), "accept", List.of("application/vnd.docker.plugins.v1.2+json"));
        }

        @Override
        public byte[] body() {
            return sent.getBytes(UTF_8);
        }
    }

    HttpReply send(String method, String path, String body) {
        return driver.serve(new Post(method, path, body, Optional.of(new Peer(0, 0, pid))))
                .toCompletableFuture()
                .join();
    }

    JsonNode post(String method, String body) {
        try {
            return JSON.readTree(send("POST", "/" + method, body).text());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    JsonNode requestPool(String pool, String subPool, String options, boolean v6) {
        return post(
                "IpamDriver.RequestPool",
                "{\"AddressSpace\":\"enipam-local\",\"Pool\":\"" + pool + "\",\"SubPool\":\"" + subPool
                        + "\",\"Options\":" + options + ",\"V6\":" + v6 + "}\n");
    }

    JsonNode requestAddress(String pool, String address, String options) {
        return post(
                "IpamDriver.RequestAddress",
                "{\"PoolID\":\"" + pool + "\",\"Address\":\"" + address + "\",\"Options\":" + options + "}\n");
    }

    /** As {@code docker network create} does it. */
    Network network(String pool, String subPool, String options, String gateway) {
        JsonNode given = requestPool(pool, subPool, options, pool.contains(":"));
        if (given.has("Err")) {
            throw new IllegalArgumentException(given.path("Err").asText());
        }
        JsonNode address = requestAddress(given.path("PoolID").asText(), gateway, GATEWAY);
        if (address.has("Err")) {
            releasePool(given.path("PoolID").asText());
            throw new IllegalArgumentException(address.path("Err").asText());
        }
        return new Network(
                given.path("PoolID").asText(),
                given.path("Pool").asText(),
                address.path("Address").asText());
    }

    Network network(String pool) {
        return network(pool, "", "{}", "");
    }

    Network named(String name) {
        return network("", "", "{\"pool\":\"" + name + "\"}", "");
    }

    /** A network of before a restart, as the new process asks for it. */
    Network replay(Network former, String options) {
        return network(former.pool(), "", options, former.gateway().replaceFirst("/.*", ""));
    }

    /** The address of a container, or what is wrong. */
    String container(Network network, int number) {
        return container(network, number, "");
    }

    String container(Network network, int number, String address) {
        String mac = String.format("02:42:00:00:%02x:%02x", number >> 8 & 0xff, number & 0xff);
        return said(requestAddress(
                network.poolId(), address, "{\"com.docker.network.endpoint.macaddress\":\"" + mac + "\"}"));
    }

    static String said(JsonNode answer) {
        return answer.has("Err")
                ? answer.path("Err").asText()
                : answer.path("Address").asText();
    }

    /** Without its length. */
    JsonNode release(Network network, String address) {
        return post(
                "IpamDriver.ReleaseAddress",
                "{\"PoolID\":\"" + network.poolId() + "\",\"Address\":\"" + address.replaceFirst("/.*", "") + "\"}");
    }

    JsonNode releasePool(String id) {
        return post("IpamDriver.ReleasePool", "{\"PoolID\":\"" + id + "\"}");
    }

    /** As {@code docker network rm} does it. */
    void remove(Network network) {
        release(network, network.gateway());
        releasePool(network.poolId());
    }
}

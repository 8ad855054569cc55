package io.enipam.datapath.exclusive;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.iproute.Runner;
import java.util.List;
import java.util.Optional;

/**
 * A link in a pod's namespace, found by its hardware address: the name is what somebody may have changed.
 *
 * @param name there
 * @param alias its alias, or empty text
 * @param mtu in bytes
 */
record PodLink(String name, String alias, int mtu) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Looks for it.
     *
     * @param netns path of the namespace; empty text for the node's
     * @return empty if it is not there, or the namespace is not
     */
    static Optional<PodLink> find(Runner runner, String netns, String mac) {
        String answer;
        try {
            answer = runner.read(netns, List.of("ip -j link show")).get(0);
        } catch (CommandFailedException e) {
            // no namespace, or one that is going away: whatever was in it comes back by itself, or is gone
            return Optional.empty();
        }
        try {
            for (JsonNode link : JSON.readTree(answer)) {
                if (link.path("address").asText().equalsIgnoreCase(mac)) {
                    return Optional.of(new PodLink(
                            link.path("ifname").asText(),
                            link.path("ifalias").asText(),
                            link.path("mtu").asInt()));
                }
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("ip said what is no JSON: " + e.getOriginalMessage(), e);
        }
        return Optional.empty();
    }
}

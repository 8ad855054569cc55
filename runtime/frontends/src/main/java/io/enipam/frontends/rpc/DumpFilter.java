package io.enipam.frontends.rpc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.engine.port.ResourceDb.RawRecord;
import io.enipam.sdk.Address;
import io.enipam.v1.DumpDbRequest;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * Which records of a dump are wanted: those that fit every condition there is. Done here rather than by the caller, so that
 * of a large database only what is wanted goes over the socket.
 */
record DumpFilter(Optional<String> bucket, Optional<String> pod, Optional<InetAddress> ip) {
    private static final JsonMapper JSON = new JsonMapper();

    static DumpFilter of(DumpDbRequest request) {
        return new DumpFilter(
                given(request.getBucket()),
                given(request.getPod()).map(text -> UnaryReplies.pod(text).toString()),
                given(request.getIp()).map(text -> UnaryReplies.checked(() -> Address.literal(text))));
    }

    private static Optional<String> given(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    List<RawRecord> of(List<RawRecord> records) {
        return records.stream().filter(this::fits).toList();
    }

    private boolean fits(RawRecord record) {
        if (bucket.isPresent() && !bucket.get().equals(record.bucket())) {
            return false;
        }
        if (pod.isEmpty() && ip.isEmpty()) {
            return true;
        }
        JsonNode json;
        try {
            json = JSON.readTree(record.json());
        } catch (JsonProcessingException e) {
            return false; // a broken record names nothing; 'db dump' without conditions shows it
        }
        return pod.stream().allMatch(name -> name.equals(json.path("pod").asText()))
                && ip.stream().allMatch(address -> names(json, address));
    }

    private static boolean names(JsonNode json, InetAddress address) {
        if (json.isTextual()) {
            return is(json.asText(), address);
        }
        return StreamSupport.stream(json.spliterator(), false).anyMatch(part -> names(part, address));
    }

    private static boolean is(String text, InetAddress address) {
        try {
            return Address.parse(text).ip().equals(address);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

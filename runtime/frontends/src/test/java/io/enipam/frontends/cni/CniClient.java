package io.enipam.frontends.cni;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.cni.FrameCodec;
import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.cni.FrameCodec.CniResponse;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** What the front does, without the front. */
public record CniClient(Path socket) {
    private static final JsonMapper JSON = new JsonMapper();

    /** An answer, as a runtime reads it. */
    public record Told(int exit, String stdout, String stderr) {
        static Told of(CniResponse answer) {
            return new Told(answer.exit(), new String(answer.stdout(), UTF_8), new String(answer.stderr(), UTF_8));
        }

        public JsonNode json() {
            return tree(stdout);
        }

        int code() {
            return json().path("code").asInt();
        }

        String message() {
            return json().path("msg").asText() + " | " + json().path("details").asText();
        }
    }

    static JsonNode tree(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new AssertionError("not JSON: " + text, e);
        }
    }

    public Told call(Map<String, String> environment, String stdin) {
        return call(environment, stdin.getBytes(UTF_8));
    }

    Told call(Map<String, String> environment, byte[] stdin) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            try {
                FrameCodec.write(
                        new CniRequest(environment, stdin), new DataOutputStream(Channels.newOutputStream(channel)));
            } catch (IOException closed) {
                // as the plugin: a daemon that takes no more of the call may have answered already
            }
            return Told.of(FrameCodec.readAnswer(new DataInputStream(Channels.newInputStream(channel))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The variables of a call for a container. */
    public static Map<String, String> variables(String command, String container, String netns, String... others) {
        Map<String, String> all = new TreeMap<>(Map.of(
                "CNI_COMMAND",
                command,
                "CNI_CONTAINERID",
                container,
                "CNI_NETNS",
                netns,
                "CNI_IFNAME",
                "eth0",
                "CNI_PATH",
                "/opt/cni/bin",
                "CNI_ARGS",
                "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=" + container + ";K8S_POD_INFRA_CONTAINER_ID="
                        + container));
        for (int i = 0; i < others.length; i += 2) {
            all.put(others[i], others[i + 1]);
        }
        return all;
    }

    /** A configuration, with more keys as they are. */
    public static String conf(String version, String more) {
        return "{\"cniVersion\":\"" + version + "\",\"name\":\"net\",\"type\":\"enipam-cni\""
                + (more.isEmpty() ? "" : "," + more) + "}";
    }
}

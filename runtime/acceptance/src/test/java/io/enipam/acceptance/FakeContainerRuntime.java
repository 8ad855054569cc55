package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.enipam.acceptance.CniProgram.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A container runtime as far as the network goes: it makes a sandbox's namespace, and calls the CNI plugin. Thread-safe. */
final class FakeContainerRuntime {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration AGAIN = Duration.ofMillis(200);
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final NetworkNode node;
    private final CniProgram plugin;
    private final String network;

    FakeContainerRuntime(NetworkNode node) {
        this.node = node;
        this.plugin = CniProgram.front("enipam-cni", node.cniSocket());
        this.network = "{\"cniVersion\": \"1.0.0\", \"name\": \"enipam\", \"type\": \"enipam-cni\"}";
    }

    /**
     * A pod's sandbox.
     *
     * @param result what its ADD said; empty before
     */
    record Sandbox(String pod, String container, Netns netns, String config, Optional<JsonNode> result) {
        /** Its addresses, without the length of the prefix, the IPv4 one first. */
        List<String> addresses() {
            List<String> all = new ArrayList<>();
            result.orElseThrow()
                    .path("ips")
                    .forEach(ip -> all.add(ip.path("address").asText().replaceFirst("/.*", "")));
            return all;
        }

        String address() {
            return addresses().get(0);
        }
    }

    /** A new sandbox, with a namespace and nothing in it. */
    Sandbox sandbox(String pod) {
        return sandbox(pod, Map.of());
    }

    /** @param bandwidth of the capability {@code bandwidth}, bits a second */
    Sandbox sandbox(String pod, Map<String, Long> bandwidth) {
        int number = NUMBERS.incrementAndGet();
        String container = "sandbox" + ProcessHandle.current().pid() + "-" + number;
        try {
            ObjectNode config = (ObjectNode) JSON.readTree(network);
            if (!bandwidth.isEmpty()) {
                config.putObject("runtimeConfig").set("bandwidth", JSON.valueToTree(bandwidth));
            }
            return new Sandbox(
                    pod,
                    container,
                    Netns.make(node.netns().name() + "-pod" + number),
                    config.toString(),
                    Optional.empty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A pod that gets its network at the first attempt. */
    Sandbox run(String pod) {
        return run(sandbox(pod));
    }

    Sandbox run(Sandbox sandbox) {
        Answer answer = add(sandbox);
        assertThat(answer.status())
                .as("ADD of %s: %s\n%s", sandbox.pod(), answer, node.logTail())
                .isZero();
        return with(sandbox, answer);
    }

    static Sandbox with(Sandbox sandbox, Answer added) {
        return new Sandbox(
                sandbox.pod(), sandbox.container(), sandbox.netns(), sandbox.config(), Optional.of(added.json()));
    }

    Answer add(Sandbox sandbox) {
        return call("ADD", sandbox, sandbox.netns().path().toString(), sandbox.config());
    }

    Answer check(Sandbox sandbox) {
        return call("CHECK", sandbox, sandbox.netns().path().toString(), withPrevious(sandbox));
    }

    /** DEL as a runtime makes it that still has the namespace. */
    Answer delete(Sandbox sandbox) {
        return call("DEL", sandbox, sandbox.netns().path().toString(), withPrevious(sandbox));
    }

    /** STATUS, as a runtime asks it every few seconds. */
    Answer status() {
        return plugin.call(Map.of("CNI_COMMAND", "STATUS"), network.replace("1.0.0", "1.1.0"));
    }

    /** DEL as a runtime makes it that has lost it. */
    Answer deleteWithoutNamespace(Sandbox sandbox) {
        return call("DEL", sandbox, "", withPrevious(sandbox));
    }

    /** As the kubelet has it stopped: again and again, until the plugin says that it is done. */
    void stop(Sandbox sandbox) {
        repeat("DEL of " + sandbox.container(), () -> delete(sandbox));
        sandbox.netns().remove();
        repeat("second DEL of " + sandbox.container(), () -> deleteWithoutNamespace(sandbox));
    }

    interface Attempt {
        Answer call();
    }

    void repeat(String what, Attempt attempt) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Answer answer = attempt.call();
        while (!answer.isDone()) {
            assertThat(System.nanoTime() < end)
                    .as("%s: %s\n%s", what, answer, node.logTail())
                    .isTrue();
            LockSupport.parkNanos(AGAIN.toNanos());
            answer = attempt.call();
        }
    }

    private static String withPrevious(Sandbox sandbox) {
        try {
            ObjectNode config = (ObjectNode) JSON.readTree(sandbox.config());
            sandbox.result().ifPresent(result -> config.set("prevResult", result));
            return config.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Answer call(String command, Sandbox sandbox, String netns, String config) {
        String args = "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=" + sandbox.pod()
                + ";K8S_POD_INFRA_CONTAINER_ID=" + sandbox.container() + ";K8S_POD_UID=uid-" + sandbox.pod();
        return plugin.call(CniProgram.variables(command, sandbox.container(), netns, args), config);
    }
}

package io.enipam.emulator;

import com.fasterxml.jackson.databind.JsonNode;
import io.enipam.emulator.EmulatorOptions.MetadataSettings;
import io.enipam.emulator.TestClient.Answer;
import io.enipam.emulator.cloud.CloudState.Quotas;
import io.enipam.emulator.fault.ThrottleLimits;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** An emulator with a client, and the calls most tests begin with. */
final class TestCloud implements AutoCloseable {
    static final String VSWITCH = "vsw-enipam0";

    final ManualClock clock = new ManualClock();
    final CloudEmulator emulator;
    final TestClient client;

    TestCloud() {
        this(EmulatorConfig.defaults());
    }

    TestCloud(EmulatorConfig config) {
        this(config, EmulatorOptions.CALM);
    }

    TestCloud(EmulatorConfig config, EmulatorOptions conditions) {
        emulator = CloudEmulator.start(config, conditions, clock);
        client = new TestClient(emulator.address(), clock);
    }

    static EmulatorConfig listening(EmulatorConfig config, InetSocketAddress listen, InetSocketAddress metadata) {
        return new EmulatorConfig(
                listen,
                metadata,
                config.site(),
                config.accessKey(),
                config.stateFile(),
                config.latency(),
                config.seed(),
                config.quotas());
    }

    static EmulatorConfig limited(EmulatorConfig config, Quotas quotas) {
        return new EmulatorConfig(
                config.listen(),
                config.metadataListen(),
                config.site(),
                config.accessKey(),
                config.stateFile(),
                config.latency(),
                config.seed(),
                quotas);
    }

    static EmulatorOptions throttled(ThrottleLimits limits) {
        return new EmulatorOptions(limits, MetadataSettings.USUAL, Optional.empty(), Optional.empty());
    }

    static EmulatorOptions withMetadata(MetadataSettings settings) {
        return new EmulatorOptions(ThrottleLimits.none(), settings, Optional.empty(), Optional.empty());
    }

    static EmulatorOptions controlledOn(SocketAddress listen) {
        return new EmulatorOptions(
                ThrottleLimits.none(), MetadataSettings.USUAL, Optional.of(listen), Optional.empty());
    }

    @Override
    public void close() {
        emulator.close();
    }

    Answer call(String action, String... pairs) {
        return client.call(action, pairs);
    }

    /** Calls and insists on success. */
    JsonNode ok(String action, String... pairs) {
        Answer answer = call(action, pairs);
        if (answer.status() != 200) {
            throw new AssertionError(action + " was refused: " + answer.text());
        }
        return answer.json();
    }

    String instance() {
        return emulator.instanceIds().get(0);
    }

    String securityGroup() {
        return ok("DescribeInstances")
                .at("/Instances/Instance/0/SecurityGroupIds/SecurityGroupId/0")
                .asText();
    }

    /** Creates an ENI and returns its id. */
    String create(String... pairs) {
        return createAnswer(pairs).json().path("NetworkInterfaceId").asText();
    }

    Answer createAnswer(String... pairs) {
        List<String> all = new ArrayList<>(List.of("VSwitchId", VSWITCH, "SecurityGroupId", securityGroup()));
        all.addAll(List.of(pairs));
        return call("CreateNetworkInterface", all.toArray(String[]::new));
    }

    /** Creates an ENI, attaches it to the first instance and returns its id. */
    String attached(String... pairs) {
        String eni = create(pairs);
        ok("AttachNetworkInterface", "NetworkInterfaceId", eni, "InstanceId", instance());
        return eni;
    }

    String status(String eni) {
        return ok("DescribeNetworkInterfaces", "NetworkInterfaceId.1", eni)
                .at("/NetworkInterfaceSets/NetworkInterfaceSet/0/Status")
                .asText("absent");
    }

    /** The text elements of an array, or that field of each element. */
    static List<String> texts(JsonNode array, String field) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(item -> field.isEmpty() ? item.asText() : item.path(field).asText())
                .toList();
    }
}

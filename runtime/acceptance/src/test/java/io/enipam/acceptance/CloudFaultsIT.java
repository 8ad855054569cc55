package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the shell makes go wrong in the cloud of a running daemon, and that the daemon feels it. */
class CloudFaultsIT {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path scratch;

    private Path root;

    @AutoClose
    private DaemonWithShell daemon;

    @BeforeEach
    void start() throws Exception {
        root = Files.createDirectory(scratch.resolve("root"));
        daemon = new DaemonWithShell(new ProgramRunner(scratch), root);
        daemon.start("--emulate");
    }

    @Test
    void podsGetAddressesAlthoughEverySecondAssignFails() throws IOException {
        daemon.ok("cni add --pod default/first");
        daemon.ok("cloud fault add AssignPrivateIpAddresses --every 2 --code InternalError");
        for (int i = 0; i < 8; i++) {
            daemon.ok("cni add --pod default/p" + i + " --timeout 60s");
        }

        JsonNode fault = json("cloud fault list -o json").at("/faults/0");
        assertThat(fault.path("seen").asInt()).isPositive();
        Set<String> addresses = new HashSet<>();
        json("pool inuse -o json")
                .path("leases")
                .forEach(
                        lease -> addresses.add(lease.at("/resource/addresses/0").asText()));
        assertThat(addresses).hasSize(9);
        assertThat(daemon.ok("cloud reset")).contains("1 fault is gone; latency: none, calls a minute: off");
        assertThat(daemon.ok("cloud fault list")).contains("no fault is set up");
    }

    @Test
    void whatIsDoneBehindTheDaemonsBackIsDoneOnceAndAudited() throws IOException {
        daemon.ok("cni add --pod default/a");
        // an assignment under way would be given the very address that is taken
        daemon.awaitPoolAtRest();
        JsonNode eni = json("eni list -o json").at("/enis/0");
        String id = eni.path("id").asText();
        String secondary = secondary(eni);

        assertThat(daemon.ok("cloud take-ip " + secondary + " --yes")).contains(secondary, "taken off " + id);
        refused("cloud take-ip " + secondary + " --yes", "no ENI has the address");
        assertThat(daemon.ok("cloud stick " + id)).contains("sticks as soon as");
        assertThat(daemon.ok("cloud release " + id)).contains("does not stick any more");
        assertThat(daemon.ok("cloud detach " + id + " --yes")).contains("off its instance");
        refused("cloud detach " + id + " --yes", "on no instance");
        refused("cloud detach eni-none --yes", "there is no ENI eni-none");

        assertThat(Files.readString(root.resolve("lib/audit.log")))
                .contains("ActOnCloud", "take_ip", "detach_eni", "NOT_FOUND");
    }

    @Test
    void latencyIsChangedWhileTheDaemonRuns() {
        assertThat(daemon.ok("cloud latency real")).contains("latency: real (was: none)");
        assertThat(daemon.ok("cloud latency")).contains("latency: real");
        refused("cloud latency slow", "'slow' is no latency");
        assertThat(daemon.ok("cloud throttle default")).contains("calls a minute: default (was: off)");
        assertThat(daemon.ok("cloud reset; cloud latency")).contains("latency: none");
    }

    private String secondary(JsonNode eni) {
        for (JsonNode address : eni.path("addresses")) {
            if (!address.path("primary").asBoolean()) {
                return address.path("address").asText().replaceFirst("/.*", "");
            }
        }
        // the pool is empty but for the primary address: another pod takes a secondary one
        String added = daemon.ok("cni add --pod default/another -o json");
        return added.replaceAll("(?s).*\"addresses\": \\[\"([0-9.]+)/.*", "$1");
    }

    private JsonNode json(String commands) throws IOException {
        return JSON.readTree(daemon.ok(commands));
    }

    private void refused(String command, String reason) {
        ProgramRunner.Result result = daemon.attached(command);
        assertThat(result.status()).as(command + ": " + result).isEqualTo(1);
        assertThat(result.err()).hasLineCount(1).contains(reason);
    }
}

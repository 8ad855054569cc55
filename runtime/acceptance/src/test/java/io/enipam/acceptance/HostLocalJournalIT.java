package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.acceptance.CniProgram.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** {@code enipam-ipam} with the addresses in the daemon's journal: operators find what pods have of it where they find all else. */
class HostLocalJournalIT extends DaemonFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String NETWORK = "{\"cniVersion\":\"1.0.0\",\"name\":\"lan\",\"type\":\"bridge\","
            + "\"ipam\":{\"type\":\"enipam-ipam\",\"subnet\":\"10.88.2.0/24\"}}";
    private static final String POD = "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0;K8S_POD_UID=uid-0";

    private Answer call(String command, String container, String args) {
        return CniProgram.front("enipam-ipam", daemon.cniSocket())
                .call(CniProgram.variables(command, container, "/var/run/netns/none", args), NETWORK);
    }

    private void serve() throws IOException {
        Path plugin = Project.root().resolve("plugins-examples/host-local/target/plugin");
        Path config = Files.writeString(
                scratch.resolve("enipam.yaml"), "extensions: [host-local]\nplugins: {host-local: {store: journal}}\n");
        daemon.start("--emulate", "--log-level", "warn", "--config", config.toString(), "--plugin", plugin.toString());
        await("the extension runs")
                .atMost(PATIENCE)
                .until(() -> daemon.ok("plugin info host-local").matches("(?s).*host-local\\s+RUNNING.*"));
    }

    @Test
    void whatAPodHasIsListedExplainedAndTracedAndEndsWithThePod() throws Exception {
        serve();
        Answer added = call("ADD", "c1", POD);
        assertThat(added.status()).as(added.out()).isZero();
        assertThat(added.address()).isEqualTo("10.88.2.2/24");
        assertThat(call("ADD", "c1", POD).out()).contains("duplicate allocation is not allowed");

        assertThat(daemon.ok("plugin grants host-local")).contains("default/web-0", "10.88.2.2/24", "lan/c1/eth0");
        assertThat(daemon.ok("pod show default/web-0")).contains("10.88.2.2/24");
        assertThat(daemon.ok("explain 10.88.2.2; explain lan/c1/eth0"))
                .contains("extension host-local of plugin host-local granted 10.88.2.2/24 to container c1");
        assertThat(daemon.ok("trace 10.88.2.2; trace default/web-0")).contains("ADD default/web-0", "10.88.2.2/24");
        assertThat(daemon.ok("trace --failed")).contains("duplicate allocation is not allowed");

        daemon.kill();
        serve();
        assertThat(daemon.ok("gc run"))
                .as("the pod is there after the restart, too")
                .contains("collected 0");
        daemon.ok("pod delete default/web-0 --yes");
        assertThat(daemon.ok("gc run")).contains("collected 1");
        assertThat(daemon.ok("hostlocal leases; plugin grants")).doesNotContain("10.88.2.2");
        assertThat(call("DEL", "c1", POD).status()).isZero();
        assertThat(call("ADD", "c2", "").address()).as("whose turn it is").isEqualTo("10.88.2.3/24");
        eachCommandIsOneOfTheShell();
    }

    private void eachCommandIsOneOfTheShell() throws IOException {
        assertThat(daemon.ok("plugin help host-local")).contains("hostlocal ranges", "hostlocal import");
        assertThat(daemon.ok("hostlocal ranges --network lan")).contains("10.88.2.1-10.88.2.254", "252");
        assertThat(daemon.ok("hostlocal ranges --above 50 -o json")).doesNotContain("10.88.2.1");
        assertThat(daemon.ok("hostlocal reserve 10.88.2.40 --dry-run")).contains("would be reserved");
        assertThat(daemon.ok("hostlocal reserve 10.88.2.40")).contains("is reserved");
        assertThat(daemon.ok("hostlocal leases -o json")).contains("c2", "enipam:reserved");
        assertThat(daemon.ok("hostlocal release 10.88.2.40 --yes")).contains("is free");
        Path former = Files.createDirectories(scratch.resolve("former"));
        Files.writeString(former.resolve("10.88.9.5"), "old\r\neth0");
        assertThat(daemon.ok("hostlocal import " + former + " --dry-run")).contains("would be imported");
        assertThat(daemon.ok("hostlocal import " + former)).contains("imported");
        assertThat(daemon.ok("hostlocal leases --network former; plugin grants host-local"))
                .contains("10.88.9.5", "former/old/eth0");
        assertThat(daemon.ok("doctor host-local/full; doctor host-local/duplicate"))
                .doesNotContain("WARN");
    }
}

package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.v1.Eni;
import io.enipam.v1.EniAddress;
import io.enipam.v1.Pool;
import io.enipam.v1.Resource;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapFactoryRequest;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods that get an ENI of their own: the whole daemon with the real client on the emulated cloud, three ENIs to an instance. */
class WholeEniModeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path root;

    @AutoClose
    private LivingDaemon daemon;

    private void start(String yaml) throws IOException {
        DaemonLayout layout = DaemonLayout.below(root);
        Files.createDirectories(layout.enipamYaml().resolveSibling("."));
        Files.writeString(layout.enipamYaml(), yaml);
        daemon = LivingDaemon.onTheEmulator(root);
    }

    private Resource add(String pod) {
        return daemon.client().add("default/" + pod).getResource();
    }

    private void del(String pod) {
        daemon.client().del("default/" + pod);
    }

    private SwapFactoryReply swapTo(String factory) {
        return daemon.client()
                .control()
                .swapFactory(SwapFactoryRequest.newBuilder().setName(factory).build());
    }

    private Pool pool() {
        return daemon.client().pool();
    }

    private List<Eni> enis() {
        return daemon.client().enis();
    }

    private List<String> events() {
        return daemon.client().events().stream()
                .map(event -> event.getType() + " " + event.getMessage())
                .toList();
    }

    @Test
    void inModeEniOnlyEachPodHasAnEniThatGoesWithIt() throws IOException {
        start("daemon: {mode: ENIOnly}\npool: {min_idle: 0, max_idle: 0, cool_down: 0s}\n");

        Resource first = add("web-0");
        Resource second = add("web-1");

        assertThat(first.getKind()).isEqualTo("eni");
        assertThat(first.getParent()).isEmpty();
        assertThat(first.getId()).startsWith("eni-").isNotEqualTo(second.getId());
        assertThat(first.getAttributesMap()).containsKeys("mac", "gateway", "vswitch");
        assertThat(enis())
                .filteredOn(eni -> eni.getId().equals(first.getId()))
                .singleElement()
                .satisfies(eni -> assertThat(eni.getAddressesList())
                        .extracting(EniAddress::getPod)
                        .containsExactly("default/web-0"));

        del("web-0");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(enis()).extracting(Eni::getId).containsExactly(second.getId()));
    }

    @Test
    void theFourthPodIsToldThatTheInstanceHasNoMoreEnis() throws IOException {
        start("pool: {factory: eni, min_idle: 0, max_idle: 3, cool_down: 0s}\nallocation: {timeout: 60s}\n");
        for (int i = 0; i < 3; i++) {
            add("web-" + i);
        }

        assertThatThrownBy(() -> daemon.add("default/web-3", Duration.ofSeconds(3)))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("3");
        del("web-0");
        assertThat(add("web-4").getKind()).isEqualTo("eni");
    }

    @Test
    void aNodeChangesFromAddressesToWholeEnisWhilePodsRunAndBack() throws IOException {
        start("pool: {min_idle: 1, max_idle: 1, cool_down: 0s}\n");
        Resource address = add("old");
        assertThat(address.getKind()).isEqualTo("eni-ip");
        daemon.client()
                .control()
                .swapFactory(SwapFactoryRequest.newBuilder()
                        .setName("eni")
                        .setDryRun(true)
                        .build());
        assertThat(events())
                .as("a dry run announces nothing")
                .noneSatisfy(event -> assertThat(event).containsPattern("CloudConnected.* ENIs|ConfigAdjusted"));

        SwapFactoryReply swap = swapTo("eni");

        assertThat(swap.getFrom()).isEqualTo("eni-ip");
        Resource whole = add("new");
        assertThat(whole.getKind()).isEqualTo("eni");
        assertThat(enis()).extracting(Eni::getId).contains(address.getParent(), whole.getId());
        assertThat(add("old").getId()).as("the pod of before keeps what it has").isEqualTo(address.getId());

        del("old");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(enis()).extracting(Eni::getId).doesNotContain(address.getParent()));
        swapTo("eni-ip");
        assertThat(add("third").getKind()).isEqualTo("eni-ip");
        del("new");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(enis()).extracting(Eni::getId).doesNotContain(whole.getId()));
    }

    @Test
    void aSwapThatARestartInterruptsGoesOnAfterIt() throws IOException {
        String yaml = "pool: {min_idle: 0, max_idle: 1, cool_down: 0s}\n";
        start(yaml);
        Resource address = add("old");
        swapTo("eni");
        Resource whole = add("new");
        daemon.close();

        start(yaml);

        assertThat(pool().getKind()).isEqualTo("eni");
        assertThat(add("old").getId()).isEqualTo(address.getId());
        assertThat(add("new").getId()).isEqualTo(whole.getId());
        del("old");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(enis()).extracting(Eni::getId).doesNotContain(address.getParent()));
    }

    @Test
    void whereEverySlotIsTakenTheSwapFailsAndSaysBySomebodyElse() throws IOException {
        // three ENIs stay attached for pods' addresses
        Files.createDirectories(DaemonLayout.below(root).eniJson().resolveSibling("."));
        Files.writeString(DaemonLayout.below(root).eniJson(), "{\"min_eni\": 3}");
        start("pool: {min_idle: 0, max_idle: 0}\n");
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(enis()).extracting(Eni::getState).containsExactly("InUse", "InUse", "InUse"));

        assertThatThrownBy(() -> swapTo("eni")).isInstanceOf(StatusRuntimeException.class);

        assertThat(pool().getKind()).isEqualTo("eni-ip");
        assertThat(events())
                .anySatisfy(event -> assertThat(event).contains("all 3 ENIs are in use, 3 of them by another factory"));
        assertThat(add("web-0").getKind()).isEqualTo("eni-ip");
    }
}

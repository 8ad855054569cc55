package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.events.EventRing;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.engine.model.Event;
import io.enipam.engine.testing.VirtualTime;
import io.enipam.kubernetes.device.FakeKubelet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeletUnavailableTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final VirtualTime time = new VirtualTime();
    private final EventRing events = new EventRing(time, Runnable::run);

    @Test
    void a_kubelet_that_is_away_for_long_is_an_event_and_so_is_its_return() throws IOException {
        FakeEngine engine = started(new FakeEngine(3).lending("eni"));
        try (EniDevicePlugin devices = devices(DevicePluginDirectory.of("auto", directory), engine);
                FakeKubelet kubelet = new FakeKubelet(directory)) {
            devices.sync();
            assertThat(told()).as("it may be about to start").isEmpty();
            time.advance(Duration.ofMinutes(2));
            devices.sync();
            devices.sync();
            assertThat(told()).containsExactly("KubeletNotTold");

            kubelet.start();
            await().atMost(PATIENCE).untilAsserted(() -> {
                devices.sync();
                assertThat(told()).containsExactly("KubeletNotTold", "KubeletTold");
            });
            await().atMost(PATIENCE).until(() -> kubelet.hasHeard(3));
        }
    }

    @Test
    void where_there_is_no_kubelet_nobody_misses_it() {
        FakeEngine engine = started(new FakeEngine(3).lending("eni"));
        Path nowhere = directory.resolve("nowhere");
        try (EniDevicePlugin devices = devices(DevicePluginDirectory.of("auto", nowhere), engine)) {
            lookForLong(devices);
        }
        assertThat(told()).isEmpty();
        assertThat(nowhere).doesNotExist();
    }

    @Test
    void a_directory_that_somebody_has_named_has_to_be_there() {
        FakeEngine engine = started(new FakeEngine(3).lending("eni"));
        String named = directory.resolve("nowhere").toString();
        try (EniDevicePlugin devices = devices(DevicePluginDirectory.of(named, directory), engine)) {
            lookForLong(devices);
        }
        assertThat(told()).containsExactly("KubeletNotTold");
    }

    @Test
    void a_node_whose_pods_share_enis_does_not_bother_the_kubelet_nor_does_one_that_is_told_not_to()
            throws IOException {
        try (EniDevicePlugin sharing = devices(DevicePluginDirectory.of("auto", directory), started(new FakeEngine(3)));
                EniDevicePlugin off = devices(DevicePluginDirectory.of("off", directory), started(new FakeEngine(3).lending("eni")));
                EniDevicePlugin starting = devices(DevicePluginDirectory.of("auto", directory), new FakeEngine(3).lending("eni"))) {
            lookForLong(sharing);
            lookForLong(off);
            lookForLong(starting);
        }
        assertThat(told()).isEmpty();
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    private EniDevicePlugin devices(DevicePluginDirectory place, FakeEngine engine) {
        return new EniDevicePlugin(place, engine, time, events);
    }

    private static FakeEngine started(FakeEngine engine) {
        engine.start().join();
        return engine;
    }

    private void lookForLong(EniDevicePlugin devices) {
        devices.sync();
        time.advance(Duration.ofMinutes(5));
        devices.sync();
    }

    private List<String> told() {
        return events.after(0).stream().map(Event::type).toList();
    }
}

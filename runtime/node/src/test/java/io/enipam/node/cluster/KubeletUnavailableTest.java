package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.Event;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.events.EventRing;
import io.enipam.kubernetes.device.FakeKubelet;
import io.enipam.node.cluster.EniDevicePlugin.DevicePluginDirectory;
import io.enipam.platform.testing.FakeEngine;
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
    void aKubeletThatIsAwayForLongIsAnEventAndSoIsItsReturn() throws IOException {
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
    void whereThereIsNoKubeletNobodyMissesIt() {
        FakeEngine engine = started(new FakeEngine(3).lending("eni"));
        Path nowhere = directory.resolve("nowhere");
        try (EniDevicePlugin devices = devices(DevicePluginDirectory.of("auto", nowhere), engine)) {
            lookForLong(devices);
        }
        assertThat(told()).isEmpty();
        assertThat(nowhere).doesNotExist();
    }

    @Test
    void aDirectoryThatSomebodyHasNamedHasToBeThere() {
        FakeEngine engine = started(new FakeEngine(3).lending("eni"));
        String named = directory.resolve("nowhere").toString();
        try (EniDevicePlugin devices = devices(DevicePluginDirectory.of(named, directory), engine)) {
            lookForLong(devices);
        }
        assertThat(told()).containsExactly("KubeletNotTold");
    }

    @Test
    void aNodeWhosePodsShareEnisDoesNotBotherTheKubeletNorDoesOneThatIsToldNotTo() throws IOException {
        try (EniDevicePlugin sharing =
                        devices(DevicePluginDirectory.of("auto", directory), started(new FakeEngine(3)));
                EniDevicePlugin off =
                        devices(DevicePluginDirectory.of("off", directory), started(new FakeEngine(3).lending("eni")));
                EniDevicePlugin starting =
                        devices(DevicePluginDirectory.of("auto", directory), new FakeEngine(3).lending("eni"))) {
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

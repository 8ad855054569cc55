package io.enipam.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.emulator.cloud.EmulatorException;
import io.enipam.emulator.cloud.Latency;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CloseTest {
    @Test
    void closingFreesThePortsAndEndsAllThreads() {
        TestCloud first = new TestCloud();
        first.call("DescribeInstances");
        InetSocketAddress address = first.emulator.address();
        InetSocketAddress metadata = first.emulator.metadataAddress();
        first.close();
        first.close();

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(threads()).isEmpty());
        try (TestCloud second = new TestCloud(TestCloud.listening(EmulatorConfig.defaults(), address, metadata))) {
            assertThat(second.emulator.address().getPort()).isEqualTo(address.getPort());
            assertThat(second.call("DescribeInstances").status()).isEqualTo(200);
        }
    }

    @Test
    void closingEndsCallsUnderWay() {
        TestCloud cloud = new TestCloud(EmulatorConfig.defaults().withLatency(Latency.REAL));
        CompletableFuture<?> call = CompletableFuture.runAsync(
                () -> cloud.call("CreateNetworkInterface"), task -> new Thread(task, "caller").start());
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> cloud.emulator.snapshot().callsOf("CreateNetworkInterface") == 1);
        cloud.close();

        assertThat(call.handle((answered, cutOff) -> true)).succeedsWithin(Duration.ofSeconds(30));
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(threads()).isEmpty());
        assertThatThrownBy(() -> cloud.call("DescribeInstances")).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void aTakenAddressIsAClearErrorAndLeavesNothingOpen() {
        try (TestCloud cloud = new TestCloud()) {
            InetSocketAddress taken = cloud.emulator.address();
            InetSocketAddress any = EmulatorConfig.defaults().listen();

            assertThatThrownBy(() -> CloudEmulator.start(TestCloud.listening(EmulatorConfig.defaults(), any, taken)))
                    .isInstanceOf(EmulatorException.class)
                    .hasMessageContaining("cannot listen on")
                    .hasMessageContaining("" + taken.getPort());
        }
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(threads()).isEmpty());
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("cloud-") || name.startsWith("HTTP-Dispatcher"))
                .toList();
    }
}

package io.enipam.daemon.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.AliyunConfig;
import io.enipam.aliyun.EniConfig;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.Latency;
import io.enipam.engine.EngineConfig;
import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.sdk.PodRef;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Two hundred pods at once on an empty node of 8 ENIs with 30 addresses each, at a cloud as slow as the real one. */
class BurstTest {
    private static final Logger LOG = LoggerFactory.getLogger(BurstTest.class);
    private static final int PODS = 200;
    private static final int ENIS = 7;
    /** Each ENI brings its primary address; the others come ten a call. */
    private static final int ASSIGNS = (PODS - ENIS + 9) / 10;

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    Path directory;

    @Test
    void twoHundredPodsAtOnceTakeNoMoreCallsThanTensMakeNecessary() throws Exception {
        MemoryPods pods = new MemoryPods();
        try (CloudEmulator emulator = CloudEmulator.start(EmulatorConfig.defaults()
                .withInstanceTypes("ecs.g7.4xlarge")
                .withVswitches(Map.of("vsw-a", "10.0.0.0/23"))
                .withLatency(Latency.REAL))) {
            Life life = Life.begin(
                    0, new HastyTime(1), directory, client(emulator), EngineConfig.defaults(), pods, new Story(), 1);
            life.engine.start().get(2, TimeUnit.MINUTES);

            long begun = System.nanoTime();
            List<CompletableFuture<AddOutcome>> adds = new ArrayList<>();
            for (int i = 0; i < PODS; i++) {
                pods.put("default/p" + i);
                adds.add(life.add(new AddCommand(
                        new OwnerKey("enipam", "c" + i, "eth0"), PodRef.parse("default/p" + i), PATIENCE)));
            }
            Set<String> addresses = new TreeSet<>();
            for (CompletableFuture<AddOutcome> add : adds) {
                addresses.add(add.get(4, TimeUnit.MINUTES)
                        .lease()
                        .resource()
                        .addresses()
                        .get(0)
                        .host());
            }
            Duration taken = Duration.ofNanos(System.nanoTime() - begun);
            Map<String, Long> calls = new TreeMap<>(emulator.snapshot().calls());
            LOG.info("{} ADDs at once: {} ms, calls {}", PODS, taken.toMillis(), calls);
            life.end();

            assertThat(addresses).hasSize(PODS);
            assertThat(calls.get("CreateNetworkInterface")).isEqualTo(ENIS);
            assertThat(calls.get("AttachNetworkInterface")).isEqualTo(ENIS);
            assertThat(calls.get("AssignPrivateIpAddresses")).isBetween((long) ASSIGNS, ASSIGNS * 3L / 2);
        }
    }

    private static AliyunConfig client(CloudEmulator emulator) {
        return new AliyunConfig(
                new CredentialsConfig.Fixed("testid", "testsecret"),
                CallConfig.USUAL,
                Optional.of(URI.create("http://127.0.0.1:" + emulator.address().getPort())),
                URI.create("http://127.0.0.1:" + emulator.metadataAddress().getPort()),
                EniConfig.defaults());
    }
}

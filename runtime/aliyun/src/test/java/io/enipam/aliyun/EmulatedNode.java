package io.enipam.aliyun;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.CloudSnapshot.EniEntry;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** One instance of an emulated cloud, reached over HTTP with the real SDK, and the words tests use about it. */
final class EmulatedNode implements AutoCloseable {
    static final String ZONE = "cn-hangzhou-a";

    final RealTime time = new RealTime();
    final RecordedEvents events = new RecordedEvents();
    final MemoryCloudJournal journal = new MemoryCloudJournal();
    final CloudEmulator emulator;
    private final AtomicInteger tokens = new AtomicInteger();

    /** @param vswitches id to range, the instance's own first */
    EmulatedNode(String instanceType, Map<String, String> vswitches) {
        emulator = CloudEmulator.start(EmulatorConfig.defaults()
                .withSite(new EmulatorConfig.Site("cn-hangzhou", List.of(ZONE), List.of(instanceType), vswitches))
                .withAccessKey("test-key", "test-secret"));
    }

    AliyunCloud open(EniConfig enis) {
        return AliyunCloud.open(
                new AliyunConfig(
                        new CredentialsConfig.Fixed("test-key", "test-secret"),
                        CallConfig.USUAL,
                        Optional.of(uri(emulator.address())),
                        uri(emulator.metadataAddress()),
                        enis),
                new ApiCallLog(time, new SplittableRandom(1), Map.of()),
                time,
                time,
                events,
                new MemoryCloudJournal());
    }

    private static URI uri(InetSocketAddress address) {
        return URI.create("http://127.0.0.1:" + address.getPort());
    }

    List<CreateResult> ask(ResourceFactory factory, int count) throws Exception {
        List<CreateRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(new CreateRequest(
                    new RequestToken("t-" + tokens.incrementAndGet()),
                    factory.capabilities().families(),
                    time.now().plusSeconds(60)));
        }
        List<CreateResult> results = new ArrayList<>();
        for (CompletionStage<CreateResult> result : factory.create(requests)) {
            results.add(result.toCompletableFuture().get(60, TimeUnit.SECONDS));
        }
        return results;
    }

    List<Resource> get(ResourceFactory factory, int count) throws Exception {
        List<CreateResult> results = ask(factory, count);
        assertThat(results)
                .hasSize(count)
                .allSatisfy(result -> assertThat(result).isInstanceOf(Created.class));
        return results.stream().map(result -> ((Created) result).resource()).toList();
    }

    static List<Resource> list(ResourceFactory factory) throws Exception {
        return factory.list().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    static void giveBack(ResourceFactory factory, List<Resource> resources) throws Exception {
        for (CompletionStage<?> result : factory.dispose(resources)) {
            CompletableFuture<?> outcome = result.toCompletableFuture();
            assertThat(outcome.get(60, TimeUnit.SECONDS)).isInstanceOf(Disposed.class);
        }
    }

    /** The ENIs beside the instance's primary one. */
    List<EniEntry> enis() {
        return emulator.snapshot().enis().stream().filter(eni -> !eni.primary()).toList();
    }

    @Override
    public void close() {
        emulator.close();
        time.close();
    }
}

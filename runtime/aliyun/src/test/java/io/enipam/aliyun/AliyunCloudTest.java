package io.enipam.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.EniConfig.EniBounds;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.Latency;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The whole module over HTTP: the real SDK, signatures included, against the emulator. */
@Timeout(120)
class AliyunCloudTest {
    private static final String SECRET = "a-secret-nobody-may-see";

    private final RealTime time = new RealTime();
    private final ApiCallLog book = new ApiCallLog(time, new SplittableRandom(1), Map.of());
    private final RecordedEvents events = new RecordedEvents();
    private final MemoryCloudJournal journal = new MemoryCloudJournal();
    private CloudEmulator emulator;
    private final AtomicInteger tokens = new AtomicInteger();

    @BeforeEach
    void startEmulator() {
        // 4 ENIs with 15 IPv4 addresses each: 45 for pods.
        start("ecs.g7.xlarge", Latency.NONE);
    }

    private void start(String instanceType, Latency latency) {
        Map<String, String> vswitches = new LinkedHashMap<>();
        vswitches.put("vsw-small", "10.0.1.0/28");
        vswitches.put("vsw-large", "10.0.2.0/24");
        emulator = CloudEmulator.start(EmulatorConfig.defaults()
                .withSite(new EmulatorConfig.Site(
                        "cn-hangzhou", List.of("cn-hangzhou-a"), List.of(instanceType), vswitches))
                .withAccessKey("test-key", SECRET)
                .withLatency(latency));
    }

    @AfterEach
    void stopEmulator() {
        emulator.close();
        time.close();
    }

    private static URI uri(InetSocketAddress address) {
        return URI.create("http://127.0.0.1:" + address.getPort());
    }

    private AliyunCloud open(String secret, String vswitch, int maxEni) {
        return open(secret, vswitch, maxEni, emulator.metadataAddress());
    }

    private AliyunCloud open(String secret, String vswitch, int maxEni, InetSocketAddress metadata) {
        return AliyunCloud.open(
                new AliyunConfig(
                        new CredentialsConfig.Fixed("test-key", secret),
                        CallConfig.USUAL,
                        Optional.of(uri(emulator.address())),
                        uri(metadata),
                        EniConfig.defaults()
                                .withVSwitches(Map.of("cn-hangzhou-a", List.of(vswitch)), VSwitchPolicy.ORDERED)
                                .withBounds(EniBounds.upTo(maxEni))),
                book,
                time,
                time,
                events,
                journal);
    }

    private List<CompletableFuture<CreateResult>> ask(AliyunCloud cloud, int count) {
        List<CreateRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(new CreateRequest(
                    new RequestToken("t-" + tokens.incrementAndGet()),
                    Set.of(Family.IPV4),
                    time.now().plusSeconds(60)));
        }
        return cloud.factory(EniUse.ADDRESSES).create(requests).stream()
                .map(CompletionStage::toCompletableFuture)
                .toList();
    }

    private static List<Resource> made(List<CompletableFuture<CreateResult>> results) throws Exception {
        List<Resource> made = new ArrayList<>();
        for (CompletableFuture<CreateResult> result : results) {
            CreateResult outcome = result.get(60, TimeUnit.SECONDS);
            assertThat(outcome).isInstanceOf(Created.class);
            made.add(((Created) outcome).resource());
        }
        return made;
    }

    private static List<Resource> list(AliyunCloud cloud) throws Exception {
        return cloud.factory(EniUse.ADDRESSES).list().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void aNodeFillsItsCapacityAndIsToldWhenItIsFull() throws Exception {
        try (AliyunCloud cloud = open(SECRET, "vsw-large", 100)) {
            assertThat(cloud.instanceId()).isEqualTo(emulator.instanceIds().get(0));
            assertThat(cloud.factory(EniUse.ADDRESSES).capabilities().capacity())
                    .isEqualTo(45);
            assertThat(list(cloud)).isEmpty();

            List<Resource> all = made(ask(cloud, 45));
            CreateResult tooMany = ask(cloud, 1).get(0).get(60, TimeUnit.SECONDS);

            assertThat(all.stream().map(r -> r.addresses().get(0).host()))
                    .doesNotHaveDuplicates()
                    .allMatch(ip -> ip.startsWith("10.0.2."));
            assertThat(all.get(0).attributes())
                    .containsEntry(Resource.GATEWAY, "10.0.2.253")
                    .containsEntry(Resource.VSWITCH, "vsw-large");
            assertThat(cloud.enis().enis())
                    .extracting(EniDirectory.Eni::state)
                    .containsOnly("InUse")
                    .hasSize(3);
            assertThat(tooMany)
                    .isInstanceOfSatisfying(
                            Failed.class, failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED));
        }
    }

    @Test
    void twoHundredWishesFromManyThreadsGiveDistinctAddresses() throws Exception {
        emulator.close();
        // 8 ENIs with 30 IPv4 addresses each: 210 for pods.
        start("ecs.g7.4xlarge", Latency.NONE);
        ExecutorService callers = Executors.newFixedThreadPool(16);
        try (AliyunCloud cloud = open(SECRET, "vsw-large", 100)) {
            List<Future<List<CompletableFuture<CreateResult>>>> asked = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                asked.add(callers.submit(() -> ask(cloud, 1)));
            }
            List<Resource> all = new ArrayList<>();
            for (Future<List<CompletableFuture<CreateResult>>> one : asked) {
                all.addAll(made(one.get(60, TimeUnit.SECONDS)));
            }

            assertThat(all.stream().map(r -> r.addresses().get(0).host()))
                    .hasSize(200)
                    .doesNotHaveDuplicates();
            assertThat(list(cloud)).containsExactlyInAnyOrderElementsOf(all);
        } finally {
            callers.shutdownNow();
        }
    }

    @Test
    void aRestartFindsTheSameAddressesAndGivesThemAllBack() throws Exception {
        List<Resource> before;
        try (AliyunCloud cloud = open(SECRET, "vsw-large", 100)) {
            before = made(ask(cloud, 20));
        }
        try (AliyunCloud cloud = open(SECRET, "vsw-large", 100)) {
            List<Resource> found = list(cloud);
            assertThat(found).containsExactlyInAnyOrderElementsOf(before);

            for (CompletionStage<?> result : cloud.factory(EniUse.ADDRESSES).dispose(found)) {
                assertThat(result.toCompletableFuture().get(60, TimeUnit.SECONDS))
                        .isInstanceOf(Disposed.class);
            }

            assertThat(list(cloud)).isEmpty();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(cloud.enis().enis()).isEmpty());
        }
    }

    /** AWS: metadata that lagged, or was away, freed addresses of pods and granted those of others. */
    @Test
    void aMetadataServiceThatLagsOrIsAwayTakesAndGrantsNoAddress() throws Exception {
        Relay metadata = new Relay(emulator.metadataAddress());
        try (AliyunCloud cloud = open(SECRET, "vsw-large", 100, metadata.address())) {
            List<Resource> made = made(ask(cloud, 3));
            assertThat(list(cloud))
                    .as("at once, when the metadata service cannot know of them yet")
                    .containsExactlyInAnyOrderElementsOf(made);
            metadata.close();

            made.addAll(made(ask(cloud, 2)));

            assertThat(list(cloud)).containsExactlyInAnyOrderElementsOf(made);
            assertThat(events.types()).doesNotContain("EniLost", "EniAddressGone", "AddressMoved");
        }
    }

    @Test
    void aVSwitchThatRunsOutFailsByName() throws Exception {
        // A /28 has 16 addresses, of which ECS keeps four; the instance's own ENI may take one.
        try (AliyunCloud cloud = open(SECRET, "vsw-small", 100)) {
            List<CompletableFuture<CreateResult>> asked = ask(cloud, 20);
            List<CreateResult> outcomes = new ArrayList<>();
            for (CompletableFuture<CreateResult> result : asked) {
                outcomes.add(result.get(60, TimeUnit.SECONDS));
            }

            assertThat(outcomes.stream().filter(Created.class::isInstance)).hasSizeBetween(11, 12);
            assertThat(outcomes)
                    .filteredOn(Failed.class::isInstance)
                    .map(Failed.class::cast)
                    .allSatisfy(failed -> {
                        assertThat(failed.kind()).isEqualTo(ErrorKind.ADDRESSES_EXHAUSTED);
                        assertThat(failed.message()).contains("vsw-small");
                    });
            assertThat(events.types()).contains("VSwitchEmpty");
        }
    }

    @Test
    void otherVSwitchesAreChosenWhileItServesAndWhatIsThereStays() throws Exception {
        try (AliyunCloud cloud = open(SECRET, "vsw-small", 100)) {
            List<Resource> before = made(ask(cloud, 1));

            cloud.updateVSwitches(EniConfig.defaults()
                    .withVSwitches(Map.of("cn-hangzhou-a", List.of("vsw-large")), VSwitchPolicy.MOST));
            List<Resource> after = made(ask(cloud, 15));

            assertThat(after)
                    .extracting(resource -> resource.attributes().get(Resource.VSWITCH))
                    .as("its ENI has room for fourteen more, and the next one is made elsewhere")
                    .contains("vsw-large");
            assertThat(cloud.vswitches()).extracting(EcsApi.VSwitch::id).containsExactly("vsw-large");
            assertThat(cloud.probe().vswitches())
                    .extracting(CloudProbe.VSwitchRoom::id)
                    .containsExactly("vsw-large");
            assertThat(list(cloud)).containsAll(before).containsAll(after);
        }
    }

    @Test
    void vSwitchesOfWhichNoneCanBeUsedAreRefusedAndAllIsAsBefore() throws Exception {
        try (AliyunCloud cloud = open(SECRET, "vsw-large", 100)) {
            assertThatThrownBy(() -> cloud.updateVSwitches(EniConfig.defaults()
                            .withVSwitches(Map.of("cn-hangzhou-a", List.of("vsw-none")), VSwitchPolicy.ORDERED)))
                    .isInstanceOf(FactoryException.class)
                    .hasMessageContaining("vsw-none");

            assertThat(cloud.vswitches()).extracting(EcsApi.VSwitch::id).containsExactly("vsw-large");
            assertThat(made(ask(cloud, 1)).get(0).attributes()).containsEntry(Resource.VSWITCH, "vsw-large");
        }
    }

    @Test
    void theConfiguredBoundOnEnisBoundsCapacity() {
        try (AliyunCloud cloud = open(SECRET, "vsw-large", 2)) {
            assertThat(cloud.factory(EniUse.ADDRESSES).capabilities().capacity())
                    .isEqualTo(30);
        }
    }

    @Test
    void aWrongSecretGivesOneClearLineWithoutTheSecret() {
        assertThatThrownBy(() -> open("wrong-secret", "vsw-large", 100))
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.UNAUTHORIZED))
                .hasMessageContaining("secret is wrong")
                .hasMessageContaining("check access_key")
                .message()
                .doesNotContain("\n", "wrong-secret", SECRET, "test-key");
    }

    @Test
    void aVSwitchThatDoesNotExistIsNamed() {
        assertThatThrownBy(() -> open(SECRET, "vsw-none", 100))
                .isInstanceOfSatisfying(
                        FactoryException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.MISCONFIGURED))
                .hasMessageContaining("vsw-none");
    }

    @Test
    void aMetadataServiceThatIsNotThereIsNamed() {
        AliyunConfig nowhere = new AliyunConfig(
                new CredentialsConfig.Fixed("test-key", SECRET),
                CallConfig.USUAL,
                Optional.empty(),
                URI.create("http://127.0.0.1:1"),
                EniConfig.defaults());

        assertThatThrownBy(() -> AliyunCloud.open(nowhere, book, time, time, events, journal))
                .isInstanceOf(FactoryException.class)
                .hasMessageContaining("http://127.0.0.1:1")
                .hasMessageNotContaining(SECRET);
    }

    @Test
    void theConfigurationNeverShowsTheSecret() {
        assertThat(new AliyunConfig(
                                new CredentialsConfig.Fixed("test-key", SECRET),
                                CallConfig.USUAL,
                                Optional.empty(),
                                URI.create("http://127.0.0.1:1"),
                                EniConfig.defaults())
                        .toString())
                .doesNotContain(SECRET);
    }
}

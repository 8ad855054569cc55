package io.enipam.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.MetadataClient;
import io.enipam.aliyun.client.RetryingEcsApi;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.client.RetryingEcsApi.CallContext;
import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.aliyun.client.SdkEcsApi;
import io.enipam.aliyun.credentials.CredentialsProvider;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is left behind, over HTTP with the real SDK: after deaths at moments nobody chose, and by others. */
@Timeout(180)
class CrashOverHttpTest {
    private static final int CAPACITY = 45;
    private static final CredentialsConfig KEYS = new CredentialsConfig.Fixed("key", "secret");

    private final RealTime time = new RealTime();
    private final ApiCallLog book = new ApiCallLog(time, new SplittableRandom(1), Map.of());
    private final MemoryCloudJournal journal = new MemoryCloudJournal();
    private final AtomicInteger tokens = new AtomicInteger();
    private final CloudEmulator emulator = start();

    /** One node with 3 secondary ENIs of 15 addresses each. */
    private static CloudEmulator start() {
        return CloudEmulator.start(EmulatorConfig.defaults()
                .withSite(new EmulatorConfig.Site(
                        "cn-hangzhou",
                        List.of("cn-hangzhou-a"),
                        List.of("ecs.g7.xlarge"),
                        Map.of("vsw-1", "10.0.2.0/24")))
                .withAccessKey("key", "secret"));
    }

    private AliyunCloud open() {
        return AliyunCloud.open(
                new AliyunConfig(
                        KEYS,
                        CallConfig.USUAL,
                        Optional.of(uri(emulator.address())),
                        uri(emulator.metadataAddress()),
                        EniConfig.defaults()),
                book,
                time,
                time,
                new RecordedEvents(),
                journal);
    }

    private static URI uri(InetSocketAddress address) {
        return URI.create("http://127.0.0.1:" + address.getPort());
    }

    @AfterEach
    void stop() {
        emulator.close();
        time.close();
    }

    private static List<Resource> list(AliyunCloud cloud) throws Exception {
        return cloud.factory(EniUse.ADDRESSES).list().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private List<CompletionStage<CreateResult>> ask(AliyunCloud cloud, int count) {
        List<CreateRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(new CreateRequest(
                    new RequestToken("t-" + tokens.incrementAndGet()),
                    Set.of(Family.IPV4),
                    time.now().plusSeconds(60)));
        }
        return cloud.factory(EniUse.ADDRESSES).create(requests);
    }

    private static List<String> ips(List<Resource> resources) {
        return resources.stream().map(r -> r.addresses().get(0).host()).toList();
    }

    private List<String> emulatedAddresses() {
        return emulator.snapshot().enis().stream()
                .filter(eni -> !eni.primary())
                .flatMap(eni -> eni.addresses().privateIps().stream())
                .toList();
    }

    /** Calls of the dead run are still under way when the next one looks. */
    @Test
    void aDaemonThatDiesInTheMiddleOfABurstLeavesNothingBehind() throws Exception {
        Random moments = new Random(7);
        for (int round = 0; round < 2; round++) {
            for (String last : List.of("create", "attach", "assign", "unassign", "detach", "delete")) {
                dieSoonAfter(last, moments.nextInt(30));
            }
        }
        try (AliyunCloud cloud = open()) {
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(ips(list(cloud))).containsExactlyInAnyOrderElementsOf(emulatedAddresses());
                assertThat(cloud.enis().enis())
                        .extracting(EniDirectory.Eni::state)
                        .allMatch("InUse"::equals);
                assertThat(journal.open()).isEmpty();
            });
            List<Resource> all = fill(cloud);
            assertThat(ips(all))
                    .hasSize(CAPACITY)
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(emulatedAddresses());
        }
    }

    /** Makes all there can be, or unmakes it, and closes while an operation of that kind is under way. */
    private void dieSoonAfter(String operation, int millis) throws Exception {
        try (AliyunCloud cloud = open()) {
            if (List.of("create", "attach", "assign").contains(operation)) {
                // again and again: an attach that the dead run began may end only after the first list
                await().atMost(Duration.ofSeconds(60)).until(() -> {
                    cloud.factory(EniUse.ADDRESSES).dispose(list(cloud));
                    return emulatedAddresses().isEmpty();
                });
                long before = begun(operation);
                ask(cloud, CAPACITY);
                await().atMost(Duration.ofSeconds(60)).until(() -> begun(operation) > before);
            } else {
                List<Resource> all = fill(cloud);
                long before = begun(operation);
                cloud.factory(EniUse.ADDRESSES).dispose(all);
                await().atMost(Duration.ofSeconds(60)).until(() -> begun(operation) > before);
            }
            TimeUnit.MILLISECONDS.sleep(millis);
        }
    }

    private long begun(String operation) {
        return journal.begun().stream()
                .filter(entry -> entry.operation().name().equals(operation))
                .count();
    }

    private List<Resource> fill(AliyunCloud cloud) throws Exception {
        List<Resource> all = new ArrayList<>(list(cloud));
        for (CompletionStage<CreateResult> result : ask(cloud, CAPACITY - all.size())) {
            CreateResult outcome = result.toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(outcome).isInstanceOf(Created.class);
            all.add(((Created) outcome).resource());
        }
        return all;
    }

    @Test
    void theAgeOfWhatWasLeftBehindIsTheCloudsOwnWord() throws Exception {
        try (AliyunCloud cloud = open()) {
            list(cloud);
            CredentialsProvider keys = CredentialsProvider.of(
                    KEYS, new MetadataClient(uri(emulator.metadataAddress()), book.metadata()), time);
            EcsApi somebody = new RetryingEcsApi(new CallContext(
                    SdkEcsApi.transport(keys, "cn-hangzhou", Optional.of(uri(emulator.address()))),
                    keys,
                    book,
                    CallConfig.USUAL,
                    (severity, type, subject, message, attributes) -> {},
                    time,
                    Sleeper.SLEEP));
            somebody.createNetworkInterface(new EcsApi.CreateInterfaceRequest(
                    "vsw-1",
                    somebody.describeSecurityGroups(cloud.instanceId()),
                    Map.of("creator", "enipam", "node", cloud.instanceId()),
                    "left-behind",
                    0));

            EniSweeper.Report report =
                    cloud.sweeper().sweep(false).toCompletableFuture().get(60, TimeUnit.SECONDS);

            assertThat(report.candidates()).singleElement().satisfies(candidate -> {
                assertThat(candidate.createdAt()).isPresent();
                assertThat(candidate.age())
                        .hasValueSatisfying(
                                age -> assertThat(age).isBetween(Duration.ofSeconds(-10), Duration.ofMinutes(3)));
                assertThat(candidate.reason())
                        .as("told by the date of the answer, not by this node's clock")
                        .isEqualTo("it is younger than 10m");
            });
        }
    }
}

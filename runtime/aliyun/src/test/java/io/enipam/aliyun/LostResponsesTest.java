package io.enipam.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CreateInterfaceRequest;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.client.RetryingEcsApi;
import io.enipam.aliyun.client.RetryingEcsApi.CallConfig;
import io.enipam.aliyun.client.RetryingEcsApi.CallContext;
import io.enipam.aliyun.client.RetryingEcsApi.Sleeper;
import io.enipam.aliyun.client.SdkEcsApi;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.StaticCredentialsProvider;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.emulator.cloud.CloudSnapshot;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.testing.RealTime;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cloud does what it is asked, and its answer is lost on the way: nothing is done twice, and nothing leaks. */
@Timeout(120)
class LostResponsesTest {
    private static final CredentialsConfig.Fixed KEYS = new CredentialsConfig.Fixed("key", "secret");

    private final RealTime time = new RealTime();
    private final RecordedEvents events = new RecordedEvents();
    private final ApiCallLog book = new ApiCallLog(time, new SplittableRandom(1), Map.of());
    private CloudEmulator emulator;
    private LossyProxy proxy;

    @BeforeEach
    void start() throws IOException {
        emulator = CloudEmulator.start(EmulatorConfig.defaults()
                .withSite(new EmulatorConfig.Site(
                        "cn-hangzhou",
                        List.of("cn-hangzhou-a"),
                        List.of("ecs.g7.xlarge"),
                        Map.of("vsw-1", "10.0.1.0/24")))
                .withAccessKey(KEYS.accessKeyId(), KEYS.accessKeySecret()));
        proxy = new LossyProxy(uri(emulator.address()));
    }

    @AfterEach
    void stop() {
        proxy.close();
        emulator.close();
        time.close();
    }

    private static URI uri(InetSocketAddress address) {
        return URI.create("http://127.0.0.1:" + address.getPort());
    }

    private EcsApi client() {
        StaticCredentialsProvider keys = new StaticCredentialsProvider(KEYS);
        return new RetryingEcsApi(new CallContext(
                SdkEcsApi.transport(keys, "cn-hangzhou", Optional.of(proxy.endpoint())),
                keys,
                book,
                CallConfig.USUAL,
                events,
                time,
                Sleeper.SLEEP));
    }

    private NetworkInterface eni(EcsApi client) {
        List<String> groups =
                client.describeSecurityGroups(emulator.instanceIds().get(0));
        return client.createNetworkInterface(new CreateInterfaceRequest("vsw-1", groups, Map.of(), "create-1", 0));
    }

    private List<CloudSnapshot.EniEntry> secondaries() {
        return emulator.snapshot().enis().stream().filter(eni -> !eni.primary()).toList();
    }

    /** Terway's story: Assign was repeated without a token and judged by the count of addresses, which left orphans. */
    @Test
    void anAssignWhoseAnswerIsLostIsRepeatedWithItsTokenAndLeavesNoOrphanAddress() {
        EcsApi client = client();
        NetworkInterface eni = eni(client);
        proxy.loseAnswersOf("AssignPrivateIpAddresses", 2);

        List<String> got =
                client.assignPrivateIpAddresses(eni.id(), 5, "assign-1").ips();

        assertThat(got).hasSize(5).doesNotHaveDuplicates();
        assertThat(secondaries())
                .singleElement()
                .satisfies(only ->
                        assertThat(only.addresses().privateIps()).hasSize(6).containsAll(got));
        List<Map<String, String>> calls = proxy.calls("AssignPrivateIpAddresses");
        assertThat(calls).hasSize(3).extracting(call -> call.get("ClientToken")).containsOnly("assign-1");
        assertThat(calls).extracting(call -> call.get("SignatureNonce")).doesNotHaveDuplicates();
    }

    @Test
    void aCreateWhoseAnswerIsLostMakesOneEni() {
        EcsApi client = client();
        proxy.loseAnswersOf("CreateNetworkInterface", 2);

        NetworkInterface eni = eni(client);

        assertThat(secondaries()).extracting(CloudSnapshot.EniEntry::id).containsExactly(eni.id());
        assertThat(proxy.calls("CreateNetworkInterface")).hasSize(3);
    }

    @Test
    void anAttachWhoseAnswerIsLostIsNotRepeatedAndIsFoundDone() {
        EcsApi client = client();
        NetworkInterface eni = eni(client);
        proxy.loseAnswersOf("AttachNetworkInterface", 1);

        assertThatThrownBy(() -> client.attachNetworkInterface(
                        eni.id(), emulator.instanceIds().get(0)))
                .isInstanceOfSatisfying(
                        EcsException.class,
                        failure -> assertThat(failure.outcomeUnknown()).isTrue());

        assertThat(proxy.calls("AttachNetworkInterface")).hasSize(1);
        assertThat(client.describeNetworkInterface(eni.id()).get(0).instanceId())
                .isEqualTo(emulator.instanceIds().get(0));
    }

    @Test
    void aNodeThatLosesTheFirstAnswerOfEveryApiEndsWithTheCloudsBooksAndItsOwnInAccord() throws Exception {
        for (String action : List.of(
                "CreateNetworkInterface",
                "AttachNetworkInterface",
                "AssignPrivateIpAddresses",
                "DescribeNetworkInterfaces",
                "DescribeInstanceTypes",
                "DescribeInstances",
                "DescribeVSwitches",
                "UnassignPrivateIpAddresses")) {
            proxy.loseAnswersOf(action, 1);
        }
        AliyunConfig config = new AliyunConfig(
                KEYS,
                CallConfig.USUAL,
                Optional.of(proxy.endpoint()),
                uri(emulator.metadataAddress()),
                EniConfig.defaults());
        try (AliyunCloud cloud =
                AliyunCloud.open(config, book, time, time, new RecordedEvents(), new MemoryCloudJournal())) {
            cloud.factory(EniUse.ADDRESSES).list().toCompletableFuture().get(60, TimeUnit.SECONDS);
            List<Resource> made = create(cloud, 20);
            assertThat(made).hasSize(20);
            List<Resource> leaving = made.stream()
                    .filter(resource -> !resource.primary())
                    .limit(8)
                    .toList();
            // one that fails is asked for again, as the engine does
            await().atMost(Duration.ofSeconds(60)).until(() -> disposed(cloud, leaving));

            List<Resource> listed =
                    cloud.factory(EniUse.ADDRESSES).list().toCompletableFuture().get(60, TimeUnit.SECONDS);

            assertThat(listed.stream().map(LostResponsesTest::host))
                    .as("what the node knows is what the cloud has")
                    .containsExactlyInAnyOrderElementsOf(secondaries().stream()
                            .flatMap(eni -> eni.addresses().privateIps().stream())
                            .toList());
            assertThat(listed).hasSize(12);
        }
    }

    private static boolean disposed(AliyunCloud cloud, List<Resource> leaving) throws Exception {
        boolean all = true;
        for (CompletionStage<DisposeResult> gone :
                cloud.factory(EniUse.ADDRESSES).dispose(leaving)) {
            all &= gone.toCompletableFuture().get(60, TimeUnit.SECONDS) instanceof Disposed;
        }
        return all;
    }

    private List<Resource> create(AliyunCloud cloud, int count) throws Exception {
        List<CreateRequest> requests = Stream.iterate(1, i -> i + 1)
                .limit(count)
                .map(i -> new CreateRequest(
                        new RequestToken("t-" + i),
                        Set.of(Family.IPV4),
                        time.now().plusSeconds(60)))
                .toList();
        List<Resource> made = new ArrayList<>();
        for (CompletionStage<CreateResult> stage :
                cloud.factory(EniUse.ADDRESSES).create(requests)) {
            CreateResult result = stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(result).isInstanceOf(Created.class);
            made.add(((Created) result).resource());
        }
        return made;
    }

    private static String host(Resource resource) {
        return resource.addresses().get(0).host();
    }
}

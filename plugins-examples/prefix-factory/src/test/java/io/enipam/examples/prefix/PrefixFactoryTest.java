package io.enipam.examples.prefix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.testing.PluginNode;
import io.enipam.emulator.fault.Effect;
import io.enipam.emulator.fault.FaultRule;
import io.enipam.examples.enipacking.EniPackingPlugin;
import io.enipam.sdk.Activity;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.testkit.InMemoryJournal;
import io.enipam.sdk.testkit.TestContext;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The factory on an emulated cloud, behind the daemon's own client. */
@Timeout(180)
class PrefixFactoryTest {
    private static final int ENI = PrefixBook.SIZE;

    private final InMemoryJournal journal = new InMemoryJournal();
    private PluginNode node = new PluginNode("ecs.imagined.3x3", Map.of("vsw-1", "10.0.0.0/24"));
    private Optional<ResourceFactory> open = Optional.empty();
    private int tokens;

    @TempDir
    private Path directory;

    @AfterEach
    void stop() {
        open.ifPresent(ResourceFactory::close);
        node.close();
    }

    private ResourceFactory factory(String... settings) {
        return factory(new PrefixPlugin(), settings);
    }

    private ResourceFactory factory(PrefixPlugin plugin, String... settings) {
        open.ifPresent(ResourceFactory::close);
        TestContext.Builder context = TestContext.builder()
                .settings(plugin.settings())
                .directory(directory)
                .journal(journal)
                .service(Cloud.class, node.lend("prefix-factory"));
        for (int i = 0; i < settings.length; i += 2) {
            context.value(settings[i], settings[i + 1]);
        }
        ResourceFactory factory = plugin.resourceFactories().get(0).open(context.build());
        open = Optional.of(factory);
        return factory;
    }

    private void on(String instanceType, Map<String, String> vSwitches) {
        node.close();
        node = new PluginNode(instanceType, vSwitches);
    }

    @Test
    void eightEnisOfTenPrefixesAre1280AddressesByEightyBlocksAndNoFurtherCall() throws Exception {
        // the primary ENI and eight others, each with its own address and ten prefixes
        on("ecs.imagined.9x11", Map.of("vsw-1", "10.0.0.0/20"));
        ResourceFactory factory = factory();
        assertThat(factory.capabilities().capacity()).isEqualTo(1280);

        List<Resource> all = get(factory, 1280);

        assertThat(all.stream().map(Resource::id).distinct()).hasSize(1280);
        assertThat(node.enis()).hasSize(8).allSatisfy(eni -> {
            assertThat(eni.addresses().ipv4Prefixes()).hasSize(10);
            assertThat(eni.status()).isEqualTo("InUse");
        });
        assertThat(calls("AssignPrivateIpAddresses")).as("ten blocks a call").isEqualTo(8);
        assertThat(fail(factory).kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
        assertThat(list(factory)).hasSize(1280);
    }

    @Test
    void sixteenAddressesAreOneCall() throws Exception {
        ResourceFactory factory = factory();
        for (int i = 0; i < ENI; i++) {
            get(factory, 1);
        }

        assertThat(calls("AssignPrivateIpAddresses")).isEqualTo(1);
        assertThat(node.prefixes()).hasSize(1);
    }

    /** amazon-vpc-cni-k8s 3685: all prefixes of the ENIs were full, slots of the instance free, and there came no further ENI. */
    @Test
    void fullPrefixesAndAFreeSlotBringAnotherEni() throws Exception {
        ResourceFactory factory = factory();
        get(factory, 2 * ENI);
        assertThat(node.enis()).hasSize(1);

        get(factory, 1);
        assertThat(node.enis()).hasSize(2);
    }

    /** The same where the cloud allows an ENI less than its type: the refusal fills the ENI, and the next one is used. */
    @Test
    void anEniThatTakesNoMoreThoughItsTypeDoesIsPassedOver() throws Exception {
        ResourceFactory factory = factory();
        get(factory, ENI);
        node.refuseNext("AssignPrivateIpAddresses", "InvalidOperation.Ipv4CountExceeded");

        get(factory, 1);
        assertThat(node.enis())
                .hasSize(2)
                .allSatisfy(eni -> assertThat(eni.addresses().ipv4Prefixes()).hasSize(1));
    }

    /** amazon-vpc-cni-k8s 1203, for an ENI: one that cannot be attached takes no slot and is not left. */
    @Test
    void anEniThatCannotBeAttachedIsDeletedAndTakesNoSlot() throws Exception {
        ResourceFactory factory = factory();
        node.refuseNext("AttachNetworkInterface", "EniPerInstanceLimitExceeded");

        assertThat(fail(factory).kind()).isEqualTo(ErrorKind.QUOTA_EXHAUSTED);
        assertThat(node.enis()).isEmpty();
        get(factory, 4 * ENI);
        assertThat(node.enis()).hasSize(2);
    }

    /** amazon-vpc-cni-k8s 2892: pods waited for ever where addresses were counted that could not be had. */
    @Test
    void requestsThatCannotBeServedFailWithTheReasonAndThoseBeforeThemAreServed() throws Exception {
        ResourceFactory factory = factory();
        List<CreateResult> results = ask(factory, 4 * ENI + 3);

        assertThat(results).filteredOn(Created.class::isInstance).hasSize(4 * ENI);
        assertThat(results)
                .filteredOn(Failed.class::isInstance)
                .hasSize(3)
                .allSatisfy(
                        failed -> assertThat(((Failed) failed).message()).contains("all 2 ENIs have the 2 prefixes"));
    }

    @Test
    void aVSwitchWithoutABlockIsPassedOverForTheNext() throws Exception {
        // 12 addresses of /28: none of its blocks is free
        Map<String, String> vSwitches = new LinkedHashMap<>();
        vSwitches.put("vsw-full", "10.0.0.0/27");
        vSwitches.put("vsw-2", "10.0.1.0/24");
        on("ecs.imagined.4x3", vSwitches);
        ResourceFactory factory = factory();

        List<Resource> made = get(factory, ENI + 1);
        assertThat(made).extracting(it -> it.attributes().get(Resource.VSWITCH)).contains("vsw-2");
        assertThat(made)
                .allSatisfy(it -> assertThat(it.attributes().get(Resource.GATEWAY))
                        .isEqualTo(it.attributes().get(Resource.VSWITCH).equals("vsw-2") ? "10.0.1.253" : "10.0.0.29"));
    }

    @Test
    void aPrefixIsGivenBackWhenItsLastAddressIsAndAnEniWithItsLastPrefix() throws Exception {
        ResourceFactory factory = factory("spare_prefixes", "0");
        List<Resource> all = get(factory, 3 * ENI);
        assertThat(node.prefixes()).hasSize(3);
        Map<String, List<Resource>> byPrefix = new LinkedHashMap<>();
        all.forEach(it -> byPrefix.computeIfAbsent(it.parent(), fresh -> new ArrayList<>())
                .add(it));
        String kept = byPrefix.keySet().iterator().next();

        // one address of it stays: a prefix with a pod on it keeps its sixteen
        dispose(factory, byPrefix.get(kept).subList(1, ENI));
        List<Resource> others =
                all.stream().filter(it -> !it.parent().equals(kept)).toList();
        dispose(factory, others);

        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(node.prefixes()).containsExactly(kept);
            assertThat(node.enis()).hasSize(1);
        });
        dispose(factory, byPrefix.get(kept).subList(0, 1));
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(node.enis()).isEmpty());
        get(factory, 1);
    }

    @Test
    void aRequestThatComesWhilePrefixesGoBackIsServedWhateverBecomesOfThem() throws Exception {
        ResourceFactory factory = factory("spare_prefixes", "0");
        List<Resource> all = get(factory, 4 * ENI);
        node.refuseNext("UnassignPrivateIpAddresses", "Forbidden.RAM");
        dispose(factory, all.subList(0, 2 * ENI));

        get(factory, ENI);
        get(factory, ENI);
    }

    @Test
    void aSparePrefixStaysSoThatOnePodThatComesAndGoesMakesNoCall() throws Exception {
        ResourceFactory factory = factory();
        for (int i = 0; i < 5; i++) {
            dispose(factory, get(factory, 1));
        }

        assertThat(calls("AssignPrivateIpAddresses")).isEqualTo(1);
        assertThat(calls("UnassignPrivateIpAddresses")).isZero();
        assertThat(node.prefixes()).hasSize(1);
    }

    @Test
    void aRestartFindsWhatIsOutAndWhatIsFree() throws Exception {
        List<Resource> before = get(factory(), ENI + 3);

        ResourceFactory after = factory();
        assertThat(list(after)).containsExactlyInAnyOrderElementsOf(before);
        List<Resource> more = get(after, ENI - 3);
        assertThat(new HashSet<>(more)).doesNotContainAnyElementsOf(before);
        assertThat(node.prefixes()).as("what was free is used first").hasSize(2);
    }

    @Test
    void aCrashBetweenTheCloudAndTheTableLosesNoPrefix() throws Exception {
        // the prefix is assigned, and the factory never notes it
        ResourceFactory first = factory();
        get(first, 1);
        String eni = node.enis().get(0).id();
        node.lend("prefix-factory")
                .assignPrefixes(eni, 1, new RequestToken("crashed"))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);

        ResourceFactory after = factory();
        assertThat(list(after)).hasSize(1);
        get(after, 2 * ENI - 1);
        assertThat(node.prefixes()).hasSize(2);
        assertThat(node.enis()).hasSize(1);
    }

    @Test
    void aPrefixThatIsLostTakesItsAddressesOutOfTheListAndNoOthers() throws Exception {
        List<Resource> made = get(factory(), 2 * ENI);
        String lost = made.get(0).parent();
        String eni = node.enis().get(0).id();
        node.lend("prefix-factory")
                .unassignPrefixes(eni, List.of(lost))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);

        ResourceFactory after = factory();
        List<Resource> listed = list(after);
        assertThat(listed).hasSize(ENI).noneMatch(it -> it.parent().equals(lost));
        // the engine disposes of what it misses
        dispose(after, made.stream().filter(it -> it.parent().equals(lost)).toList());
        assertThat(list(after)).hasSize(ENI);
    }

    @Test
    void aLostAnswerOfTheCloudMakesNoSecondPrefix() throws Exception {
        node.fault(FaultRule.on("AssignPrivateIpAddresses").atMost(1).does(new Effect.DropAnswer()));

        get(factory(), 1);
        assertThat(node.prefixes()).hasSize(1);
    }

    @Test
    void theSameTokenGivesTheSameAddressAlsoAfterARestart() throws Exception {
        CreateRequest request = request();
        Resource made = created(factory().create(List.of(request)).get(0));

        assertThat(created(factory().create(List.of(request)).get(0))).isEqualTo(made);
    }

    @Test
    void aListOfACloudThatIsAwayFailsAndIsNotGuessed() throws Exception {
        ResourceFactory factory = factory();
        get(factory, 1);
        node.refuseNext("DescribeNetworkInterfaces", "Forbidden.RAM");

        assertThat(factory.list().toCompletableFuture())
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(FactoryException.class)
                .withMessageContaining("Forbidden.RAM");
        assertThat(list(factory)).hasSize(1);
    }

    @Test
    void whatIsUnderWayWhenTheFactoryClosesIsRefused() throws Exception {
        ResourceFactory factory = factory();
        node.fault(FaultRule.on("DescribeNetworkInterfaces").atMost(2).does(new Effect.Delay(Duration.ofSeconds(15))));
        CompletionStage<CreateResult> create =
                factory.create(List.of(request())).get(0);
        CompletionStage<List<Resource>> list = factory.list();
        factory.close();

        assertThat(create.toCompletableFuture().get(60, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        Failed.class, failed -> assertThat(failed.kind()).isEqualTo(ErrorKind.UNAVAILABLE));
        assertThat(list.toCompletableFuture())
                .failsWithin(Duration.ofSeconds(60))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(FactoryException.class);
    }

    /** The address's parent is its prefix, so that a policy that packs ENIs packs prefixes: pods gather, the others run empty. */
    @Test
    void aPackingPolicyPrefersTheFullestPrefix() throws Exception {
        List<Resource> made = get(factory(), 2 * ENI);
        String fuller = made.get(ENI).parent();
        List<ResourceView> views = new ArrayList<>();
        for (Resource it : made) {
            boolean used = it.parent().equals(fuller) && views.size() < ENI + 3;
            views.add(new ResourceView(it, used ? ResourceState.IN_USE : ResourceState.IDLE, Instant.EPOCH));
        }
        PoolSnapshot pool = new PoolSnapshot(Instant.EPOCH, ResourceKind.ENI_IP, 64, 2, 10, 0, 1, Activity.NONE, views);
        EniPackingPlugin packing = new EniPackingPlugin();
        PoolPolicy policy = packing.poolPolicies()
                .get(0)
                .open(TestContext.builder().settings(packing.settings()).build());

        Pick pick = policy.pick(pool, new PodRef("default", "web-0"));
        Resource picked = made.stream()
                .filter(it -> ((Pick.Chosen) pick).id().equals(it.id()))
                .findFirst()
                .orElseThrow();
        assertThat(picked.parent()).isEqualTo(fuller);
    }

    @Test
    void theDiagnosticShowsHowFullEachPrefixIs() throws Exception {
        PrefixPlugin plugin = new PrefixPlugin();
        ResourceFactory factory = factory(plugin);
        get(factory, 3);

        assertThat(plugin.diagnostics().get(0).run(null).rows())
                .singleElement()
                .satisfies(row -> assertThat(row).contains(node.prefixes().get(0), "3", "13"));
    }

    private long calls(String action) {
        return node.emulator().snapshot().callsOf(action);
    }

    private CreateRequest request() {
        return new CreateRequest(
                new RequestToken("t-" + ++tokens),
                Set.of(Family.IPV4),
                Instant.now().plusSeconds(120));
    }

    private List<CreateResult> ask(ResourceFactory factory, int count) throws Exception {
        List<CreateRequest> requests =
                IntStream.range(0, count).mapToObj(i -> request()).toList();
        List<CreateResult> results = new ArrayList<>();
        for (CompletionStage<CreateResult> stage : factory.create(requests)) {
            results.add(stage.toCompletableFuture().get(120, TimeUnit.SECONDS));
        }
        return results;
    }

    private List<Resource> get(ResourceFactory factory, int count) throws Exception {
        return ask(factory, count).stream().map(PrefixFactoryTest::created).toList();
    }

    private static Resource created(CompletionStage<CreateResult> stage) throws Exception {
        return created(stage.toCompletableFuture().get(120, TimeUnit.SECONDS));
    }

    private static Resource created(CreateResult result) {
        assertThat(result).isInstanceOf(Created.class);
        return ((Created) result).resource();
    }

    private Failed fail(ResourceFactory factory) throws Exception {
        CreateResult result = ask(factory, 1).get(0);
        assertThat(result).isInstanceOf(Failed.class);
        return (Failed) result;
    }

    private static List<Resource> list(ResourceFactory factory) throws Exception {
        return factory.list().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static void dispose(ResourceFactory factory, List<Resource> resources) throws Exception {
        for (var stage : factory.dispose(resources)) {
            assertThat(stage.toCompletableFuture().get(60, TimeUnit.SECONDS)).isInstanceOf(Disposed.class);
        }
    }
}

package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.aliyun.RecordedEvents;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.aliyun.eni.FactorySettings.LostEniPolicy;
import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.simulation.MemoryCloudJournal;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Failed;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/** A factory on a fake cloud in virtual time, and the words tests use about it. */
final class FactoryFixture {
    static final String INSTANCE = "i-1";
    static final Map<String, String> OWN = Map.of("creator", "enipam", "node", INSTANCE);

    final VirtualTime time;
    final RecordedEvents events;
    final MemoryCloudJournal journal;
    final FakeEcsApi cloud;
    final List<VSwitch> vswitches = new ArrayList<>();
    private FactorySettings settings;
    private CloudFactory factory;
    private boolean whole;
    private EniSlots slots;
    private int tokens;
    /** What the node knows of who has which addresses together. */
    List<KnownAddressPairs.Pair> known = List.of();
    /** How far descriptions of ENIs lag behind. Other calls are answered by what there is. */
    Duration lag = Duration.ZERO;

    private final NavigableMap<Long, List<NetworkInterface>> past = new TreeMap<>();
    /** How long a call takes to reach the cloud. */
    Duration latency = Duration.ZERO;

    /** @param enis secondary ENIs the instance may have */
    FactoryFixture(int enis, int ipv4PerEni) {
        this(enis, ipv4PerEni, enis);
    }

    /** @param believed secondary ENIs the factory thinks the instance may have */
    FactoryFixture(int enis, int ipv4PerEni, int believed) {
        time = new VirtualTime(Instant.EPOCH);
        events = new RecordedEvents();
        journal = new MemoryCloudJournal();
        cloud = new FakeEcsApi(time, new InstanceTypeLimits(enis + 1, ipv4PerEni, 0), Duration.ofSeconds(2));
        slots = new EniSlots(believed, believed);
        settings = settings(tags(), believed, ipv4PerEni);
    }

    /** One where each resource has an address of both families. */
    static FactoryFixture dual(int enis, int ipv4PerEni, int ipv6PerEni) {
        return new FactoryFixture(enis, ipv4PerEni, ipv6PerEni, true);
    }

    private FactoryFixture(int enis, int ipv4PerEni, int ipv6PerEni, boolean dual) {
        time = new VirtualTime(Instant.EPOCH);
        events = new RecordedEvents();
        journal = new MemoryCloudJournal();
        cloud = new FakeEcsApi(time, new InstanceTypeLimits(enis + 1, ipv4PerEni, ipv6PerEni), Duration.ofSeconds(2));
        slots = new EniSlots(enis, enis);
        FactorySettings single = settings(tags(), enis, ipv4PerEni);
        settings = dual ? FactoryFixture.dual(single, ipv6PerEni) : single;
    }

    /** Settings for IPv4 addresses. */
    static FactorySettings settings(Map<String, String> tags, int enis, int ipv4PerEni) {
        return new FactorySettings(
                new FactorySettings.EniSpec(INSTANCE, List.of("sg-1"), tags, OWN),
                new FactorySettings.Limits(enis, 0, ipv4PerEni, 0));
    }

    static FactorySettings withMinEnis(FactorySettings settings, int min) {
        FactorySettings.Limits limits = settings.limits();
        return limited(
                settings, new FactorySettings.Limits(limits.maxEnis(), min, limits.ipv4PerEni(), limits.ipv6PerEni()));
    }

    /** The same settings with an address of both families in each resource, or of IPv4 alone. */
    static FactorySettings dual(FactorySettings settings, int ipv6PerEni) {
        FactorySettings.Limits limits = settings.limits();
        return limited(
                settings,
                new FactorySettings.Limits(limits.maxEnis(), limits.minEnis(), limits.ipv4PerEni(), ipv6PerEni));
    }

    private static FactorySettings limited(FactorySettings settings, FactorySettings.Limits limits) {
        return new FactorySettings(settings.spec(), limits, settings.use(), settings.vswitchPolicy(), settings.seed());
    }

    /** A vSwitch with IPv6. */
    FactoryFixture dualVSwitch(String id, int free) {
        vswitches.add(cloud.addDualVSwitch(id, vswitches.size() + 1, free));
        return this;
    }

    private static Map<String, String> tags() {
        Map<String, String> tags = new HashMap<>(OWN);
        tags.put("cluster", "test");
        return tags;
    }

    FactoryFixture vswitch(String id, int free) {
        vswitches.add(cloud.addVSwitch(id, vswitches.size() + 1, free));
        return this;
    }

    FactoryFixture vswitch(String id, String zone, int free) {
        vswitches.add(cloud.addVSwitch(id, zone, vswitches.size() + 1, free));
        return this;
    }

    /** Has whole ENIs lent from now on. */
    FactoryFixture whole() {
        whole = true;
        return this;
    }

    /** Has addresses lent from now on. */
    FactoryFixture lendingAddresses() {
        whole = false;
        return this;
    }

    /** Another factory on the same instance, in the same cloud and time, which lends whole ENIs. */
    FactoryFixture besides() {
        return new FactoryFixture(this).whole();
    }

    /** The same node after a restart of the daemon: no factory has read the cloud yet. */
    FactoryFixture restarted() {
        FactoryFixture next = new FactoryFixture(this);
        next.whole = whole;
        next.slots = new EniSlots(settings.limits().maxEnis(), settings.limits().maxEnis());
        return next;
    }

    private FactoryFixture(FactoryFixture other) {
        cloud = other.cloud;
        time = other.time;
        events = other.events;
        journal = other.journal;
        vswitches.addAll(other.vswitches);
        settings = other.settings;
        slots = other.slots;
        tokens = 1000;
    }

    /** Changes how the factory is set up, before it is asked for. */
    FactoryFixture with(UnaryOperator<FactorySettings> change) {
        settings = change.apply(settings);
        return this;
    }

    /** Has ENIs that others detach treated like this from now on. */
    FactoryFixture losing(LostEniPolicy policy) {
        factory().setLostEniPolicy(policy);
        return this;
    }

    /** The factory, started when first asked for. */
    CloudFactory factory() {
        if (factory == null) {
            restart();
        }
        return factory;
    }

    /** A new factory on the same cloud, as after a crash: the old one's calls and timers are still running. */
    List<Resource> restart() {
        return restart(journal);
    }

    List<Resource> restart(CloudJournal operations) {
        if (factory != null) {
            slots = new EniSlots(settings.limits().maxEnis(), settings.limits().maxEnis());
        }
        factory = open(operations);
        return list();
    }

    /** A new factory, asked for its first list. */
    CompletableFuture<List<Resource>> begin() {
        factory = unread();
        return factory.list().toCompletableFuture();
    }

    /** A factory that has not read the cloud yet. */
    CloudFactory unread() {
        return open(journal);
    }

    private CloudFactory open(CloudJournal operations) {
        Executor calls = call -> time.after(latency, call);
        EcsApi api = lag.isZero() ? cloud : late();
        return new CloudFactory(
                whole ? settings.forWholeEnis() : settings,
                vswitches,
                new CloudFactory.Context(api, operations, time, time, events, calls, slots, () -> known));
    }

    /** The cloud with descriptions of the past. */
    private EcsApi late() {
        return (EcsApi) Proxy.newProxyInstance(
                EcsApi.class.getClassLoader(), new Class<?>[] {EcsApi.class}, (proxy, method, arguments) -> {
                    try {
                        past.put(time.nanoTime(), cloud.all());
                        Object answer = method.invoke(cloud, arguments);
                        past.put(time.nanoTime(), cloud.all());
                        return switch (method.getName()) {
                            case "onBehalfOf" -> proxy;
                            case "describeNetworkInterface" ->
                                then().stream()
                                        .filter(eni -> eni.id().equals(arguments[0]))
                                        .toList();
                            case "describeNetworkInterfaces" -> then();
                            case "describeAttached" ->
                                then().stream()
                                        .filter(eni -> eni.instanceId().equals(arguments[0]))
                                        .toList();
                            default -> answer;
                        };
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private List<NetworkInterface> then() {
        Map.Entry<Long, List<NetworkInterface>> entry = past.floorEntry(time.nanoTime() - lag.toNanos());
        return entry == null ? List.of() : entry.getValue();
    }

    List<Resource> list() {
        CompletableFuture<List<Resource>> listed = factory().list().toCompletableFuture();
        // the first list of a factory settles what is open before it reads
        time.advance(latency.multipliedBy(2));
        // what the cloud does not show yet is asked for again, twice at most
        for (int again = 0; again < 2 && !listed.isDone(); again++) {
            time.advance(PollSchedule.SETTLED.plus(latency.multipliedBy(2)));
        }
        assertThat(listed).isCompleted();
        return listed.join();
    }

    CreateRequest request(Duration patience) {
        return new CreateRequest(
                new RequestToken("t-" + ++tokens),
                settings.families(),
                time.now().plus(patience));
    }

    /** Asks for addresses in one call. */
    List<CompletableFuture<CreateResult>> ask(int count) {
        return ask(count, Duration.ofMinutes(5));
    }

    List<CompletableFuture<CreateResult>> ask(int count, Duration patience) {
        List<CreateRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(request(patience));
        }
        return factory().create(requests).stream()
                .map(CompletionStage::toCompletableFuture)
                .toList();
    }

    /** Asks for addresses and waits for all of them. */
    List<Resource> get(int count) {
        List<CompletableFuture<CreateResult>> asked = ask(count);
        time.advance(Duration.ofMinutes(1));
        return resources(asked);
    }

    static List<Resource> resources(List<CompletableFuture<CreateResult>> results) {
        return results.stream()
                .filter(CompletableFuture::isDone)
                .map(CompletableFuture::join)
                .filter(Created.class::isInstance)
                .map(result -> ((Created) result).resource())
                .toList();
    }

    static List<Failed> failures(List<CompletableFuture<CreateResult>> results) {
        return results.stream()
                .filter(CompletableFuture::isDone)
                .map(CompletableFuture::join)
                .filter(Failed.class::isInstance)
                .map(Failed.class::cast)
                .toList();
    }

    static List<String> ips(List<Resource> resources) {
        return resources.stream().map(r -> r.addresses().get(0).host()).toList();
    }

    /** Gives resources back in one call. */
    List<CompletableFuture<DisposeResult>> giveBack(List<Resource> resources) {
        return factory().dispose(resources).stream()
                .map(CompletionStage::toCompletableFuture)
                .toList();
    }

    List<String> states() {
        return factory().enis().stream().map(eni -> eni.state()).toList();
    }
}

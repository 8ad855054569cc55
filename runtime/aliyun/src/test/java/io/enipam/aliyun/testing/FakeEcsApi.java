package io.enipam.aliyun.testing;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsException;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * ECS in memory: quotas of the instance and the vSwitches hold, attach, detach and delete take time, client tokens are
 * remembered. Thread-safe; no call blocks.
 */
public final class FakeEcsApi implements EcsApi {
    /** The calls faults can be put on, and that {@link #calls} counts. */
    public enum Call {
        CREATE,
        ATTACH,
        DETACH,
        DELETE,
        DESCRIBE,
        LIST,
        LIST_ATTACHED,
        FIND,
        ASSIGN,
        UNASSIGN,
        ASSIGN_IPV6,
        UNASSIGN_IPV6,
        DESCRIBE_VSWITCH
    }

    /** The zone of the one instance. */
    public static final String HERE = "zone-a";

    private sealed interface Fault {
        record Refuse(String code, int status) implements Fault {}

        record LoseAnswer() implements Fault {}
    }

    private static final class Range {
        private final VSwitch vswitch;
        private int nextIpv6;
        private final Deque<String> free = new ArrayDeque<>();

        Range(VSwitch vswitch) {
            this.vswitch = vswitch;
        }
    }

    private final TimeSource time;
    private final Duration transition;
    private final InstanceTypeLimits limits;
    private final Map<String, Range> vswitches = new LinkedHashMap<>();
    private final Map<String, FakeEni> enis = new LinkedHashMap<>();
    private final Map<String, Deque<String>> others = new HashMap<>();
    private final Map<Call, Deque<Fault>> faults = new HashMap<>();
    private final Map<Call, Integer> counts = new HashMap<>();
    private final Map<String, NetworkInterface> createTokens = new HashMap<>();
    private final Map<String, AssignedAddresses> assignTokens = new HashMap<>();
    private Optional<Duration> clockAhead = Optional.of(Duration.ZERO);
    private final Map<String, CloudEniStatus> stuckAttaches = new HashMap<>();
    private Duration hidden = Duration.ZERO;
    private int assignMost = Integer.MAX_VALUE;
    private int assignIpv6Most = Integer.MAX_VALUE;
    private final Set<String> withoutIpv6 = new HashSet<>();
    private int mostOperations;
    private int nextEni;
    private int nextRequest;
    private Optional<List<NetworkInterface>> frozen = Optional.empty();

    /** @param transition how long an attach, a detach and a delete take */
    public FakeEcsApi(TimeSource time, InstanceTypeLimits limits, Duration transition) {
        this.time = time;
        this.limits = limits;
        this.transition = transition;
    }

    // ---- what a test arranges

    /** Adds a vSwitch {@code 10.0.N.0/24} with this many free addresses, 1 to 250. */
    public synchronized VSwitch addVSwitch(String id, int third, int free) {
        return addVSwitch(id, HERE, third, free);
    }

    /** Adds one in any zone; the instance is in {@link #HERE}. */
    public synchronized VSwitch addVSwitch(String id, String zone, int third, int free) {
        VSwitch vswitch = new VSwitch(id, zone, "10.0." + third + ".0/24", "", free);
        Range range = new Range(vswitch);
        for (int host = 1; host <= free; host++) {
            range.free.add("10.0." + third + "." + host);
        }
        vswitches.put(id, range);
        return vswitch;
    }

    /** Adds a vSwitch with IPv6, {@code 2001:db8:0:N::/64}, whose addresses never end. */
    public synchronized VSwitch addDualVSwitch(String id, int third, int free) {
        addVSwitch(id, third, free);
        turnOnIpv6(id, third);
        return vswitches.get(id).vswitch;
    }

    private void turnOnIpv6(String id, int third) {
        Range before = vswitches.get(id);
        VSwitch as = before.vswitch;
        Range range = new Range(new VSwitch(
                id, as.zoneId(), as.cidr(), "2001:db8:0:" + Integer.toHexString(third) + "::/64", as.available()));
        range.free.addAll(before.free);
        vswitches.put(id, range);
    }

    /** Turns IPv6 of a vSwitch off, and tells nobody: descriptions show it on. */
    public synchronized void refuseIpv6(String id) {
        withoutIpv6.add(id);
    }

    /** Deletes a vSwitch; ENIs in it stay. */
    public synchronized void deleteVSwitch(String id) {
        vswitches.remove(id);
    }

    /** Has somebody else take addresses of a vSwitch, or give back as many when the number is negative. */
    public synchronized void occupy(String vswitchId, int addresses) {
        Deque<String> free = vswitches.get(vswitchId).free;
        for (int i = 0; i < addresses; i++) {
            others.computeIfAbsent(vswitchId, unused -> new ArrayDeque<>()).add(free.removeLast());
        }
        for (int i = addresses; i < 0; i++) {
            free.addLast(others.get(vswitchId).removeLast());
        }
    }

    /** Has the next call of a kind refused, or fail with status 500, after any faults already waiting for it. */
    public synchronized void failNext(Call call, String code, int status) {
        faults.computeIfAbsent(call, unused -> new ArrayDeque<>()).add(new Fault.Refuse(code, status));
    }

    /** Has the next call of a kind do its work and time out. */
    public synchronized void loseAnswerOf(Call call) {
        faults.computeIfAbsent(call, unused -> new ArrayDeque<>()).add(new Fault.LoseAnswer());
    }

    /** Has Assign give at most this many addresses a call. */
    public synchronized void assignAtMost(int most) {
        assignMost = most;
    }

    /** Has the Assign of IPv6 give at most this many addresses a call. */
    public synchronized void assignIpv6AtMost(int most) {
        assignIpv6Most = most;
    }

    /** Sets the cloud's clock against everybody else's; empty: its answers have no date, and its clock is right. */
    public synchronized void clockAhead(Optional<Duration> ahead) {
        clockAhead = ahead;
    }

    /** Has looks and lists show an ENI only when it is older than this. */
    public synchronized void hideNew(Duration age) {
        hidden = age;
    }

    /** Puts an ENI into a state for good, until {@link #release}. */
    public synchronized void stick(String eniId, CloudEniStatus status) {
        enis.get(eniId).stick(status);
    }

    /** Has the attach of an ENI that is yet to be made end in a state for good, until {@link #release}. */
    public synchronized void stickAttachOf(String eniId, CloudEniStatus status) {
        stuckAttaches.put(eniId, status);
    }

    /** Lets a stuck ENI go on. */
    public synchronized void release(String eniId) {
        enis.get(eniId).release();
    }

    /** Takes an address off an ENI behind everybody's back. */
    public synchronized void steal(String eniId, String ip) {
        enis.get(eniId).ips.remove(ip);
        enis.get(eniId).ipv6s.remove(ip);
    }

    /** Puts an IPv6 address on an ENI behind everybody's back. */
    public synchronized void giveIpv6(String eniId, String ip) {
        enis.get(eniId).ipv6s.add(ip);
    }

    /** Puts an address on an ENI behind everybody's back, off the one that has it. */
    public synchronized void give(String eniId, String ip) {
        enis.values().forEach(eni -> eni.ips.remove(ip));
        vswitches.get(enis.get(eniId).vswitchId).free.remove(ip);
        enis.get(eniId).ips.add(ip);
    }

    /** Takes all tags off an ENI behind everybody's back. */
    public synchronized void untag(String eniId) {
        enis.get(eniId).tags.clear();
    }

    /** Detaches an ENI behind everybody's back; it is Available at once. */
    public synchronized void pull(String eniId) {
        enis.get(eniId).goTo(CloudEniStatus.AVAILABLE, "", time.nanoTime());
    }

    /** Puts an ENI on an instance, behind everybody's back; it is InUse at once. */
    public synchronized void plug(String eniId, String instanceId) {
        enis.get(eniId).goTo(CloudEniStatus.IN_USE, instanceId, time.nanoTime());
    }

    /** From now on lists tell what there is now, whatever happens; single look-ups tell the truth. */
    public synchronized void freezeLists() {
        frozen = Optional.of(all());
    }

    /** Lists tell the truth again. */
    public synchronized void thawLists() {
        frozen = Optional.empty();
    }

    /** Lists tell of nothing until {@link #thawLists}; single look-ups tell the truth. */
    public synchronized void emptyLists() {
        frozen = Optional.of(List.of());
    }

    /** Takes an ENI out of the cloud behind everybody's back. */
    public synchronized void vanish(String eniId) {
        enis.remove(eniId);
    }

    /** Makes an ENI as another run of the program would have left it behind. */
    public synchronized String leftOver(
            String vswitchId, CloudEniStatus status, String instanceId, Map<String, String> tags) {
        FakeEni eni = make(vswitchId, tags);
        eni.goTo(status, instanceId, time.nanoTime());
        return eni.id;
    }

    // ---- what a test sees

    public synchronized int calls(Call call) {
        return counts.getOrDefault(call, 0);
    }

    /** The ENIs there are, settled ones and those on their way. */
    public synchronized List<NetworkInterface> all() {
        settle();
        return enis.values().stream().map(eni -> eni.view("look")).toList();
    }

    /** Every address on every ENI. */
    public synchronized List<String> addresses() {
        return all().stream().flatMap(eni -> eni.ips().stream()).toList();
    }

    /** Every IPv6 address on every ENI. */
    public synchronized List<String> ipv6Addresses() {
        return all().stream().flatMap(eni -> eni.ipv6s().stream()).toList();
    }

    /** The most ENIs that were on their way at one time. */
    public synchronized int mostOperations() {
        return mostOperations;
    }

    // ---- the port

    @Override
    public synchronized NetworkInterface createNetworkInterface(CreateInterfaceRequest wish) {
        return doing(Call.CREATE, () -> {
            NetworkInterface replay = createTokens.get(wish.clientToken());
            if (replay != null) {
                return replay;
            }
            List<String> sixes = wish.ipv6Count() == 0 ? List.of() : takeIpv6(wish.vswitchId(), wish.ipv6Count());
            FakeEni eni = make(wish.vswitchId(), wish.tags());
            eni.ipv6s.addAll(sixes);
            NetworkInterface made = eni.view(request());
            createTokens.put(wish.clientToken(), made);
            return made;
        });
    }

    private FakeEni make(String vswitchId, Map<String, String> tags) {
        String ip = take(vswitchId, 1).get(0);
        nextEni++;
        FakeEni eni = new FakeEni(
                "eni-" + nextEni,
                "00:16:3e:00:00:" + (10 + nextEni),
                vswitchId,
                ip,
                tags,
                time.now().plus(clockAhead.orElse(Duration.ZERO)),
                time.nanoTime());
        enis.put(eni.id, eni);
        return eni;
    }

    private List<String> takeIpv6(String vswitchId, int count) {
        Range range = vswitches.get(vswitchId);
        if (range == null || range.vswitch.ipv6Cidr().isEmpty() || withoutIpv6.contains(vswitchId)) {
            throw failure("InvalidVSwitchId.Ipv6NotTurnOn", 403);
        }
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(range.vswitch.ipv6Cidr().replace("/64", Integer.toHexString(++range.nextIpv6)));
        }
        return taken;
    }

    private List<String> take(String vswitchId, int count) {
        Range range = vswitches.get(vswitchId);
        if (range == null) {
            throw failure("InvalidVSwitchId.NotFound", 404);
        }
        if (range.free.size() < count) {
            throw failure("InvalidVSwitchId.IpNotEnough", 403);
        }
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(range.free.removeFirst());
        }
        return taken;
    }

    @Override
    public synchronized Acknowledgement attachNetworkInterface(String eniId, String instanceId) {
        return doing(Call.ATTACH, () -> {
            FakeEni eni = eni(eniId);
            require(eni, CloudEniStatus.AVAILABLE);
            Range range = vswitches.get(eni.vswitchId);
            if (range != null && !range.vswitch.zoneId().equals(HERE)) {
                throw failure("InvalidOperation.AvailabilityZoneMismatch", 403);
            }
            long attached = enis.values().stream()
                    .filter(e -> e.instanceId.equals(instanceId))
                    .count();
            if (attached >= limits.enis() - 1) {
                throw failure("EniPerInstanceLimitExceeded", 403);
            }
            eni.move(CloudEniStatus.ATTACHING, CloudEniStatus.IN_USE, instanceId, time.nanoTime());
            Optional.ofNullable(stuckAttaches.remove(eniId)).ifPresent(eni::stick);
            return new Acknowledgement(request());
        });
    }

    @Override
    public synchronized Acknowledgement detachNetworkInterface(String eniId, String instanceId) {
        return doing(Call.DETACH, () -> {
            FakeEni eni = eni(eniId);
            require(eni, CloudEniStatus.IN_USE);
            eni.move(CloudEniStatus.DETACHING, CloudEniStatus.AVAILABLE, instanceId, time.nanoTime());
            return new Acknowledgement(request());
        });
    }

    @Override
    public synchronized Acknowledgement deleteNetworkInterface(String eniId) {
        return doing(Call.DELETE, () -> {
            FakeEni eni = eni(eniId);
            require(eni, CloudEniStatus.AVAILABLE);
            eni.move(CloudEniStatus.DELETING, CloudEniStatus.OTHER, "", time.nanoTime());
            return new Acknowledgement(request());
        });
    }

    @Override
    public synchronized List<NetworkInterface> describeNetworkInterface(String eniId) {
        return doing(
                Call.DESCRIBE,
                () -> enis.containsKey(eniId) && shown(enis.get(eniId))
                        ? List.of(enis.get(eniId).view(request()))
                        : List.of());
    }

    @Override
    public synchronized List<NetworkInterface> describeNetworkInterfaces(Map<String, String> tags) {
        return doing(
                Call.LIST,
                () -> listed(eni -> enis.get(eni.id()) == null
                        || enis.get(eni.id()).tags.entrySet().containsAll(tags.entrySet())));
    }

    @Override
    public synchronized List<NetworkInterface> describeAttached(String instanceId) {
        return doing(Call.LIST_ATTACHED, () -> listed(eni -> eni.instanceId().equals(instanceId)));
    }

    @Override
    public synchronized List<NetworkInterface> describeNetworkInterfacesByIp(String vswitchId, List<String> ips) {
        return doing(
                Call.FIND,
                () -> enis.values().stream()
                        .filter(this::shown)
                        .filter(eni -> eni.vswitchId.equals(vswitchId))
                        .filter(eni -> eni.ips.stream().anyMatch(ips::contains))
                        .map(eni -> eni.view("find"))
                        .toList());
    }

    private List<NetworkInterface> listed(Predicate<NetworkInterface> wanted) {
        List<NetworkInterface> now = enis.values().stream()
                .filter(this::shown)
                .map(eni -> eni.view("list"))
                .toList();
        return frozen.orElse(now).stream().filter(wanted).toList();
    }

    @Override
    public synchronized AssignedAddresses assignPrivateIpAddresses(String eniId, int count, String clientToken) {
        return doing(
                Call.ASSIGN,
                () -> assign(eniId, count, clientToken, eni -> {
                    if (eni.ips.size() + count > limits.ipv4PerEni()) {
                        throw failure("InvalidOperation.Ipv4CountExceeded", 403);
                    }
                    List<String> taken = take(eni.vswitchId, Math.min(count, assignMost));
                    eni.ips.addAll(taken);
                    return taken;
                }));
    }

    @Override
    public synchronized AssignedAddresses assignIpv6Addresses(String eniId, int count, String clientToken) {
        return doing(
                Call.ASSIGN_IPV6,
                () -> assign(eniId, count, clientToken, eni -> {
                    if (eni.ipv6s.size() + count > limits.ipv6PerEni()) {
                        throw failure("InvalidOperation.Ipv6CountExceeded", 403);
                    }
                    List<String> taken = takeIpv6(eni.vswitchId, Math.min(count, assignIpv6Most));
                    eni.ipv6s.addAll(taken);
                    return taken;
                }));
    }

    /** What a token has given before is given again, and nothing is looked at for that. */
    private AssignedAddresses assign(
            String eniId, int count, String clientToken, Function<FakeEni, List<String>> addresses) {
        AssignedAddresses replay = assignTokens.get(clientToken);
        if (replay != null) {
            return replay;
        }
        FakeEni eni = eni(eniId);
        if (count < 1 || count > 10) {
            throw failure("InvalidParameter", 400);
        }
        AssignedAddresses answer = new AssignedAddresses(addresses.apply(eni), request());
        assignTokens.put(clientToken, answer);
        return answer;
    }

    @Override
    public synchronized Acknowledgement unassignPrivateIpAddresses(String eniId, List<String> ips) {
        return doing(Call.UNASSIGN, () -> {
            FakeEni eni = eni(eniId);
            Acknowledgement answer = unassign(eni.ips, ips);
            giveBack(eni.vswitchId, ips);
            return answer;
        });
    }

    @Override
    public synchronized Acknowledgement unassignIpv6Addresses(String eniId, List<String> ips) {
        return doing(Call.UNASSIGN_IPV6, () -> unassign(eni(eniId).ipv6s, ips));
    }

    private Acknowledgement unassign(List<String> held, List<String> ips) {
        if (!held.containsAll(ips)) {
            throw failure("InvalidIp.IpUnassigned", 403);
        }
        held.removeAll(ips);
        return new Acknowledgement(request());
    }

    @Override
    public synchronized Optional<Duration> clockAhead() {
        return clockAhead;
    }

    @Override
    public Acknowledgement attachMember(String eniId, String instanceId, String trunkId) {
        throw unknown();
    }

    @Override
    public AssignedAddresses assignIpv4Prefixes(String eniId, int count, String clientToken) {
        throw unknown();
    }

    @Override
    public Acknowledgement unassignIpv4Prefixes(String eniId, List<String> prefixes) {
        throw unknown();
    }

    @Override
    public List<RouteEntry> describeRouteEntries(String tableId, Optional<String> destination) {
        throw unknown();
    }

    @Override
    public Acknowledgement createRouteEntry(RouteEntry entry, String clientToken) {
        throw unknown();
    }

    @Override
    public Acknowledgement deleteRouteEntry(RouteEntry entry) {
        throw unknown();
    }

    /** What the factories under test never call; the emulator has it. */
    private static UnsupportedOperationException unknown() {
        return new UnsupportedOperationException("this fake has no prefixes, trunks and routes");
    }

    @Override
    public InstanceTypeLimits describeInstanceType(String instanceType) {
        return limits;
    }

    @Override
    public List<String> describeSecurityGroups(String instanceId) {
        return List.of("sg-1");
    }

    @Override
    public synchronized VSwitch describeVSwitch(String vswitchId) {
        return doing(Call.DESCRIBE_VSWITCH, () -> {
            Range range = vswitches.get(vswitchId);
            if (range == null) {
                throw failure("InvalidVSwitchId.NotFound", 404);
            }
            VSwitch as = range.vswitch;
            return new VSwitch(as.id(), as.zoneId(), as.cidr(), as.ipv6Cidr(), range.free.size());
        });
    }

    // ---- within

    private <T> T doing(Call call, Supplier<T> work) {
        settle();
        counts.merge(call, 1, Integer::sum);
        Fault fault = faults.getOrDefault(call, new ArrayDeque<>()).poll();
        if (fault instanceof Fault.Refuse refuse) {
            throw failure(refuse.code, refuse.status);
        }
        T answer = work.get();
        int moving = (int) enis.values().stream().filter(FakeEni::moving).count();
        mostOperations = Math.max(mostOperations, moving);
        if (fault instanceof Fault.LoseAnswer) {
            throw failure("SDK.ReadTimeout", 0);
        }
        return answer;
    }

    private void settle() {
        long now = time.nanoTime();
        for (FakeEni eni : List.copyOf(enis.values())) {
            if (eni.settle(now - transition.toNanos())) {
                enis.remove(eni.id);
                giveBack(eni.vswitchId, eni.ips);
            }
        }
    }

    private boolean shown(FakeEni eni) {
        return time.nanoTime() - eni.madeNanos >= hidden.toNanos();
    }

    private void giveBack(String vswitchId, List<String> ips) {
        Range range = vswitches.get(vswitchId);
        if (range != null) {
            range.free.addAll(ips);
        }
    }

    private FakeEni eni(String eniId) {
        FakeEni eni = enis.get(eniId);
        if (eni == null) {
            throw failure("InvalidEniId.NotFound", 404);
        }
        return eni;
    }

    private void require(FakeEni eni, CloudEniStatus status) {
        if (eni.status() != status) {
            throw failure("InvalidOperation.InvalidEniState", 400);
        }
    }

    private String request() {
        return "request-" + ++nextRequest;
    }

    private EcsException failure(String code, int status) {
        return new EcsException("Fake", code, status, request(), "as arranged");
    }
}

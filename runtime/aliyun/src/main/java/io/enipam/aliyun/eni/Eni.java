package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.eni.AddressRequest.AddressDisposal;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.aliyun.eni.EniAddress.HolderCounts;
import io.enipam.aliyun.eni.EniOperation.Goal;
import io.enipam.aliyun.eni.PollSchedule.DescriptionLag;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One ENI and its work: its addresses, the requests that wait for them, the disposals, and the call in progress.
 * Guarded by the fleet's lock. At most one Assign or Unassign runs at a time.
 */
final class Eni {
    /** How many requests may be bound to one ENI; more wait in the fleet's queue, where any ENI may take them. */
    static final int BACKLOG = 10;

    private String id;
    private final String vswitch;
    private String mac = "";
    private String primaryIp = "";
    private EniState state;
    private Instant since;
    private final Map<String, EniAddress> addresses = new LinkedHashMap<>();
    private final Map<String, EniAddress> addressesAsRead = Collections.unmodifiableMap(addresses);
    private final HolderCounts counts = new HolderCounts();
    private final boolean dual;
    private final Map<String, EniAddress> ipv6s = new LinkedHashMap<>();
    private final Map<String, EniAddress> ipv6sAsRead = Collections.unmodifiableMap(ipv6s);
    private final HolderCounts ipv6Counts = new HolderCounts();

    /** Requests bound to this ENI, next first. */
    final Deque<AddressRequest> backlog = new ArrayDeque<>();
    /** Requests in the Assign that is out. */
    final List<AddressRequest> assigning = new ArrayList<>();
    /** Secondary addresses to take off, next first. */
    final Deque<AddressDisposal> disposals = new ArrayDeque<>();
    /** Secondary addresses in the Unassign that is out. */
    final List<AddressDisposal> unassigning = new ArrayList<>();

    /** What was begun on it and is not known to be over, oldest first. */
    final List<CloudJournal.Entry> openOperations = new ArrayList<>();

    /** The disposal of the primary address, which is the disposal of the ENI. */
    Optional<AddressDisposal> retirement = Optional.empty();
    /** Whether no address of it is lent, and it stays attached for the minimum alone. */
    boolean kept;
    /** Whether it is known which of its addresses are lent as pairs; always so of one that this run has made. */
    boolean understood = true;
    /** Whether an Assign, an Unassign or a look is out. */
    boolean busy;
    /** Whether the last call was an Assign: then an Unassign that waits is next. */
    boolean assignedLast;
    /** Whether an Assign waits for more requests: it is next all the same. */
    boolean gathering;
    /** Whether a detach of ours went out that the cloud may have received. */
    boolean detachInDoubt;
    /** How often it was tried in vain to attach it again. */
    int tries;
    /** When it was attached again last; empty if it never was. */
    OptionalLong backAt = OptionalLong.empty();
    /** When the cloud made it; empty unless this run has asked for it. */
    OptionalLong madeAt = OptionalLong.empty();
    /** Counts the changes, so that a slow list shows whether it still fits. */
    long version;
    /** Addresses that came or went lately, with when: the cloud's lists may not know it yet. */
    private final Map<String, Long> recent = new HashMap<>();
    /** What the last readings did not show, and since when: addresses, or the empty text for the ENI. */
    private final Map<String, Long> suspected = new HashMap<>();
    /** Those of them that a description did not know of: it was late, or another actor has undone the change. */
    private final Set<String> late = new HashSet<>();
    /** Those of them that a description was seen to know of. */
    private final Set<String> markShown = new HashSet<>();

    EniOperation operation;

    /** @param dual whether its addresses are lent in pairs of both families */
    Eni(String placeholder, String vswitch, EniState state, Instant now, EniOperation journey, boolean dual) {
        this.dual = dual;
        this.id = placeholder;
        this.vswitch = vswitch;
        this.state = state;
        this.since = now;
        this.operation = journey;
    }

    /** The cloud's id; a placeholder in brackets while it has none. */
    String id() {
        return id;
    }

    String vswitch() {
        return vswitch;
    }

    String mac() {
        return mac;
    }

    String primaryIp() {
        return primaryIp;
    }

    EniState state() {
        return state;
    }

    boolean dual() {
        return dual;
    }

    /** The IPv4 addresses in the order in which they came; {@link #add} and {@link #remove} change them. */
    Map<String, EniAddress> addresses() {
        return addressesAsRead;
    }

    /** The IPv6 addresses, if they are its registry's concern. */
    Map<String, EniAddress> ipv6s() {
        return ipv6sAsRead;
    }

    Optional<EniAddress> find(String ip) {
        return Optional.ofNullable(addresses.getOrDefault(ip, ipv6s.get(ip)));
    }

    /** An IPv4 address that it has; one new to the registry is spare. */
    void add(String ip) {
        addresses.computeIfAbsent(ip, text -> new EniAddress(text, counts));
    }

    /** An IPv6 address that it has. */
    void addIpv6(String ip) {
        if (dual) {
            ipv6s.computeIfAbsent(ip, text -> new EniAddress(text, ipv6Counts));
        }
    }

    /** Whether an IPv4 address has what makes it fit to be lent: the IPv6 address beside it, where it takes two. */
    boolean isLendable(EniAddress address) {
        return !dual || address.lentWithoutPartner() || address.partner().isPresent();
    }

    /** An address of either family that it has no more. */
    void remove(String ip) {
        find(ip).ifPresent(EniAddress::removed);
        addresses.remove(ip);
        ipv6s.remove(ip);
    }

    boolean is(EniState wanted) {
        return state == wanted;
    }

    /** Goes to another state; to the one it is in is no step. */
    void become(EniState next, Instant now) {
        if (state == next) {
            return;
        }
        if (!state.mayBecome(next)) {
            throw new IllegalStateException("ENI " + id + " cannot go from " + state + " to " + next);
        }
        state = next;
        since = now;
        version++;
    }

    /** Takes over what the cloud says it is. Addresses new to the registry are spare. */
    void identify(NetworkInterface seen) {
        id = seen.id();
        mac = seen.mac();
        primaryIp = seen.primaryIp();
        seen.ips().forEach(this::add);
        seen.ipv6s().forEach(this::addIpv6);
        version++;
    }

    /** An address was assigned, or taken off, by us. */
    void recordChange(String ip, long nanos) {
        recent.values().removeIf(then -> nanos - then >= PollSchedule.REMEMBERED.toNanos());
        recent.put(ip, nanos);
        late.remove(ip);
        markShown.remove(ip);
        late.retainAll(recent.keySet());
        markShown.retainAll(recent.keySet());
    }

    /** Compares what a description shows with the changes of the last minutes, to measure how late it is. */
    void measureLag(Collection<String> ips, long asked, DescriptionLag lag) {
        recent.forEach((ip, then) -> {
            if (asked - then < 0) {
                return;
            }
            if (find(ip).isPresent() != ips.contains(ip)) {
                late.add(ip);
            } else if (markShown.add(ip) && late.remove(ip)) {
                lag.measured(asked - then, asked);
            }
        });
    }

    /** Whether a list that was asked for then knows of the last change of this address, and is not just late. */
    boolean isSettled(String ip, long asked, DescriptionLag lag) {
        Long then = recent.get(ip);
        Duration pause = markShown.contains(ip) ? lag.settled() : lag.settledUnseen();
        return then == null || asked - then >= pause.toNanos();
    }

    /** Whether an address was assigned, or taken off, only after the cloud was asked. */
    boolean changedAfter(String ip, long asked) {
        Long then = recent.get(ip);
        return then != null && then - asked > 0;
    }

    /** Whether it leaves the instance soon after it was attached again: then another actor insists on that. */
    boolean isDetachedAgain(long nanos) {
        return backAt.isPresent() && nanos - backAt.getAsLong() < PollSchedule.STAYS.toNanos();
    }

    /** A reading has shown the ENI: what it shows is not missing any more, whatever else the reading is good for. */
    void markShown(boolean attached, NetworkInterface seen) {
        suspected.keySet().removeAll(seen.ips());
        suspected.keySet().removeAll(seen.ipv6s());
        if (attached) {
            suspected.remove("");
        }
    }

    /**
     * Compares what a reading of the cloud does not show with the readings before it.
     *
     * @param missing addresses, or the empty text for the ENI itself
     * @return what was missing all the time since a reading so long before that the cloud's descriptions know of it now
     */
    Set<String> confirmMissing(Set<String> missing, long asked, DescriptionLag lag) {
        suspected.keySet().retainAll(missing);
        missing.forEach(what -> suspected.putIfAbsent(what, asked));
        return suspected.entrySet().stream()
                .filter(since -> asked - since.getValue() >= lag.settled().toNanos())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** An Assign, an Unassign or a look goes out, or its outcome is known. */
    void setBusy(boolean now) {
        busy = now;
        version++;
    }

    int count(Holder holder) {
        return counts.of(holder);
    }

    int countIpv6(Holder holder) {
        return ipv6Counts.of(holder);
    }

    /** How many of its addresses are spare and fit to be lent. */
    int countReady() {
        return dual ? Math.min(count(Holder.SPARE), countIpv6(Holder.SPARE)) : count(Holder.SPARE);
    }

    /** Whether the engine has addresses of it: pods may live on it. */
    boolean isLent() {
        return count(Holder.ENGINE) > 0;
    }

    /** Whether nothing of it is lent, can be lent, or is on its way, though it is not kept for later. */
    boolean isIdle() {
        boolean nothing = taken(counts) == 0 && taken(ipv6Counts) == 0 && countReady() == 0;
        return nothing && !kept && !busy && retirement.isEmpty() && disposals.isEmpty() && unassigning.isEmpty();
    }

    private static int taken(HolderCounts of) {
        return of.of(Holder.ENGINE) + of.of(Holder.LEAVING);
    }

    /** Whether requests may be bound to it: it is here or coming, and shall stay. */
    boolean serves() {
        boolean here = state == EniState.CREATING || state == EniState.ATTACHING || state == EniState.IN_USE;
        return here && operation.goal() == Goal.ATTACHED && retirement.isEmpty();
    }

    /**
     * How many more requests it could serve, its backlog counted, the backlog's bound not.
     *
     * @param more whether its vSwitch has addresses
     */
    int capacityLeft(int limit, boolean more) {
        if (!serves() || !understood) {
            return 0;
        }
        int spare = state == EniState.CREATING ? 1 : countReady();
        int free = more ? limit - Math.max(taken(counts), taken(ipv6Counts)) : spare;
        return Math.max(0, free - backlog.size() - assigning.size());
    }

    Map<String, String> attributes() {
        return Map.of("vswitch", vswitch, "mac", mac, "primaryIp", primaryIp);
    }

    EniDirectory.Eni view(int limit) {
        int queued = backlog.size() + assigning.size();
        EniAddresses all = new EniAddresses(primaryIp, List.copyOf(addresses.keySet()), List.copyOf(ipv6s.keySet()));
        return new EniDirectory.Eni(id, mac, state.label(), vswitch, limit, all, queued, since);
    }
}

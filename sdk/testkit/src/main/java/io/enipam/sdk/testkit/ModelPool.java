package io.enipam.sdk.testkit;

import io.enipam.sdk.Activity;
import io.enipam.sdk.Address;
import io.enipam.sdk.Pick;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.PodView;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.ResourceView;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A pool as small as can be that treats a policy as the engine does: it fills up to the target and what waits, sheds
 * down to it, lends what is picked, and cools or keeps what comes back. Time goes in steps of ten seconds; a create
 * takes one step. Where a policy throws or gives an invalid answer, the default answers. For one thread.
 */
final class ModelPool {
    static final Duration STEP = Duration.ofSeconds(10);
    private static final int INTERVALS = 30;
    private static final int PER_PARENT = 5;
    private static final Duration COOL_DOWN = Duration.ofSeconds(30);
    private static final List<String> NAMESPACES = List.of("default", "kube-system", "shop");

    /** @param owner as a {@link ResourceView} has it */
    private record Member(
            Resource resource, ResourceState state, Instant since, Instant until, Optional<PodView> owner) {
        Member in(ResourceState next, Instant now, Instant end, Optional<PodView> has) {
            return new Member(resource, next, now, end, has);
        }
    }

    private record Caller(PodView pod, Instant since) {}

    private final PoolPolicy policy;
    private final int capacity;
    private final Map<ResourceId, Member> members = new TreeMap<>();
    private final Deque<Caller> waiting = new ArrayDeque<>();
    private final Deque<Integer> lent = new ArrayDeque<>();
    private final Deque<Integer> returned = new ArrayDeque<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private int creating;
    private int pods;
    private int lentNow;
    private int returnedNow;
    private Duration longestWait = Duration.ZERO;
    private int changes;

    ModelPool(PoolPolicy policy, int capacity) {
        this.policy = policy;
        this.capacity = capacity;
    }

    /** Creates and disposals so far. */
    int changes() {
        return changes;
    }

    Duration longestWait() {
        Optional<Instant> first = Optional.ofNullable(waiting.peekFirst()).map(Caller::since);
        Duration open = first.map(since -> Duration.between(since, now)).orElse(Duration.ZERO);
        return open.compareTo(longestWait) > 0 ? open : longestWait;
    }

    int inUse() {
        return count(ResourceState.IN_USE);
    }

    int waiting() {
        return waiting.size();
    }

    /** A pod of some namespace comes, and is refused or waits; at most as long as a step if something is idle. */
    void arrive(Random random) {
        PodRef ref = new PodRef(NAMESPACES.get(random.nextInt(NAMESPACES.size())), "web-" + pods++);
        PodView pod = PodView.of(ref, Map.of("app", "web"), Map.of());
        if (!(ask(() -> policy.pick(snapshot(), pod), Pick.longestIdle()) instanceof Pick.Refused)) {
            waiting.addLast(new Caller(pod, now));
        }
    }

    /** The pod that has been there longest goes. */
    void leave() {
        members.values().stream()
                .filter(member -> member.state == ResourceState.IN_USE)
                .min(Comparator.comparing(Member::since))
                .ifPresent(this::giveBack);
    }

    private void giveBack(Member member) {
        returnedNow++;
        PoolSnapshot pool = snapshot();
        PodRef pod = member.owner.orElseThrow().ref();
        Duration stick = ask(() -> policy.stick(pool, member.resource, pod, Duration.ZERO), Duration.ZERO);
        Duration cool = ask(() -> policy.release(pool, member.resource, COOL_DOWN), COOL_DOWN);
        Duration hold = stick.isZero() ? cool : stick;
        ResourceState next = stick.isZero() ? ResourceState.COOLING : ResourceState.RESERVED;
        put(member.in(next, now, now.plus(hold), stick.isZero() ? Optional.empty() : member.owner));
    }

    /** Ten seconds pass. */
    void step() {
        now = now.plus(STEP);
        for (; creating > 0; creating--) {
            put(new Member(made(), ResourceState.IDLE, now, now, Optional.empty()));
        }
        members.values().stream()
                .filter(member -> member.state == ResourceState.COOLING || member.state == ResourceState.RESERVED)
                .filter(member -> !member.until.isAfter(now))
                .toList()
                .forEach(member -> put(member.in(ResourceState.IDLE, now, now, Optional.empty())));
        serve();
        provision();
        roll(lent, lentNow);
        roll(returned, returnedNow);
        lentNow = 0;
        returnedNow = 0;
    }

    private static void roll(Deque<Integer> history, int count) {
        history.addLast(count);
        if (history.size() > INTERVALS) {
            history.removeFirst();
        }
    }

    private Resource made() {
        for (int number = 1; ; number++) {
            String parent = "eni-" + (number - 1) / PER_PARENT;
            String host = "10.0." + (number >> 8) + "." + (number & 255);
            ResourceId id = new ResourceId(parent + "/" + host);
            if (!members.containsKey(id)) {
                return new Resource(id, ResourceKind.ENI_IP, List.of(Address.parse(host + "/16")), parent, Map.of());
            }
        }
    }

    private void serve() {
        while (!waiting.isEmpty() && count(ResourceState.IDLE) > 0) {
            Caller caller = waiting.removeFirst();
            Pick pick = ask(() -> policy.pick(snapshot(), caller.pod), Pick.longestIdle());
            Member longest = idle().get(0);
            Member picked = pick instanceof Pick.Chosen chosen ? members.get(chosen.id()) : null;
            boolean idle = picked != null && picked.state == ResourceState.IDLE;
            put((idle ? picked : longest).in(ResourceState.IN_USE, now, now, Optional.of(caller.pod)));
            Duration waited = Duration.between(caller.since, now);
            longestWait = waited.compareTo(longestWait) > 0 ? waited : longestWait;
            lentNow++;
        }
    }

    private void provision() {
        PoolSnapshot pool = snapshot();
        Target target = ask(() -> policy.target(pool), Target.between(pool.minIdle(), pool.maxIdle()));
        int missing = waiting.size() + target.minIdle() - count(ResourceState.IDLE);
        creating = Math.max(0, Math.min(missing, capacity - members.size()));
        changes += creating;
        if (!waiting.isEmpty()) {
            return;
        }
        List<ResourceId> order = new ArrayList<>(target.shedFirst());
        idle().forEach(member -> order.add(member.resource.id()));
        int surplus = count(ResourceState.IDLE) - target.maxIdle();
        for (ResourceId id : order.stream().distinct().toList()) {
            Member member = members.get(id);
            if (surplus > 0 && member != null && member.state == ResourceState.IDLE) {
                members.remove(id);
                surplus--;
                changes++;
            }
        }
    }

    private void put(Member member) {
        members.put(member.resource.id(), member);
    }

    private List<Member> idle() {
        return members.values().stream()
                .filter(member -> member.state == ResourceState.IDLE)
                .sorted(Comparator.comparing(Member::since))
                .toList();
    }

    private int count(ResourceState state) {
        return (int) members.values().stream().filter(m -> m.state == state).count();
    }

    private PoolSnapshot snapshot() {
        Stream<Member> others = members.values().stream().filter(member -> member.state != ResourceState.IDLE);
        List<ResourceView> views = Stream.concat(idle().stream(), others)
                .map(member -> new ResourceView(member.resource, member.state, member.since, member.owner))
                .toList();
        Activity activity = new Activity(STEP, withNow(lent, lentNow), withNow(returned, returnedNow), STEP);
        List<PodView> waiters = waiting.stream().map(Caller::pod).toList();
        return new PoolSnapshot(
                now, ResourceKind.ENI_IP, capacity, 1, 3, creating, waiters.size(), activity, views, waiters);
    }

    private static List<Integer> withNow(Deque<Integer> history, int now) {
        return Stream.concat(history.stream(), Stream.of(now)).toList();
    }

    private static <T> T ask(Supplier<T> question, T fallback) {
        try {
            T answer = question.get();
            return answer == null || (answer instanceof Duration d && d.isNegative()) ? fallback : answer;
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            return fallback;
        }
    }
}

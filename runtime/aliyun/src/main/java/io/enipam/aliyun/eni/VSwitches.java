package io.enipam.aliyun.eni;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The vSwitches addresses come from, the choice among them, and the memory of which had none left. Guarded by the
 * fleet's lock, but for {@link #learn} at start.
 *
 * <p>A vSwitch refuses a call for ten addresses when it has nine. So a refusal first halves what is asked of that
 * vSwitch, and only a refusal of one address means that it is empty.
 */
final class VSwitches {
    /** How long an empty vSwitch is left alone, as peers do. */
    static final Duration MEMORY = Duration.ofMinutes(10);
    /** How old a count of free addresses may be: other nodes take addresses, too. */
    static final Duration COUNTED_FOR = Duration.ofMinutes(3);

    /** The cloud's codes for a vSwitch that will not serve this node again, whatever is freed in it. */
    private static final Set<String> UNUSABLE =
            Set.of("InvalidVSwitchId.NotFound", "InvalidOperation.AvailabilityZoneMismatch");

    private static final String WITHOUT_IPV6 = "InvalidVSwitchId.Ipv6NotTurnOn";

    /**
     * What a resource's attributes need.
     *
     * @param prefixLength of the vSwitch's range
     * @param gateway the broadcast address minus two, as ECS has it
     * @param ipv6 the same of its IPv6 range; empty if it has none
     */
    record Subnet(int prefixLength, String gateway, Optional<Subnet> ipv6) {
        private static Subnet of(String cidr, Optional<Subnet> ipv6) {
            IPAddress range = new IPAddressString(cidr).getAddress().toPrefixBlock();
            IPAddress gateway = range.getUpper().increment(-2).withoutPrefixLength();
            return new Subnet(range.getNetworkPrefixLength(), gateway.toCanonicalString(), ipv6);
        }
    }

    private record Shortage(long sinceNanos, int batch) {}

    private final TimeSource time;
    private final RandomGenerator random;
    private final List<String> preferred = new ArrayList<>();
    private final List<String> disabled = new ArrayList<>();
    private final Map<String, Subnet> subnets = new HashMap<>();
    private final Map<String, Shortage> shortages = new HashMap<>();
    private final Map<String, Long> available = new HashMap<>();
    private final Set<String> ipv6Refused = new HashSet<>();
    private VSwitchPolicy policy;
    private long countedNanos;
    private boolean miscounted;

    /** @param preferred described just now, in order of preference */
    VSwitches(TimeSource time, List<VSwitch> preferred, VSwitchPolicy policy, RandomGenerator random) {
        this.time = time;
        this.policy = policy;
        this.random = random;
        prefer(preferred, policy);
    }

    /**
     * Chooses among others from now on. What is known of those that stay is known on; those that turned out to be of no
     * use are tried again, since the configuration was changed.
     *
     * @param next described just now, in order of preference
     */
    void prefer(List<VSwitch> next, VSwitchPolicy by) {
        policy = by;
        preferred.clear();
        disabled.clear();
        next.forEach(vswitch -> {
            preferred.add(vswitch.id());
            learn(vswitch);
        });
        counted(next);
    }

    /** Takes note of a vSwitch that ENIs live in, though no new ones are made there. */
    void learn(VSwitch vswitch) {
        Optional<Subnet> ipv6 = Optional.of(vswitch.ipv6Cidr())
                .filter(cidr -> !cidr.isEmpty())
                .map(cidr -> Subnet.of(cidr, Optional.empty()));
        subnets.put(vswitch.id(), Subnet.of(vswitch.cidr(), ipv6));
        ipv6Refused.remove(vswitch.id());
    }

    /** Whether addresses of both families can be had in it, as far as is known. */
    boolean hasIpv6(String vswitch) {
        Subnet subnet = subnets.get(vswitch);
        return subnet != null && subnet.ipv6().isPresent() && !ipv6Refused.contains(vswitch);
    }

    /** Notes that the cloud gives no IPv6 address in it, whatever its description said. */
    void withoutIpv6(String vswitch) {
        ipv6Refused.add(vswitch);
    }

    static boolean lacksIpv6(EcsException failure) {
        return failure.code().equals(WITHOUT_IPV6);
    }

    boolean knows(String vswitch) {
        return subnets.containsKey(vswitch);
    }

    Subnet subnet(String vswitch) {
        return Optional.ofNullable(subnets.get(vswitch))
                .orElseThrow(() -> new IllegalStateException("vSwitch " + vswitch + " was never described"));
    }

    /** Where the next ENI is made: by policy, among those that are not known to be empty. */
    Optional<String> next() {
        List<String> open =
                preferred.stream().filter(vswitch -> batch(vswitch) > 0).toList();
        if (open.isEmpty()) {
            return Optional.empty();
        }
        String chosen = switch (policy) {
            case ORDERED -> open.get(0);
            case RANDOM -> open.get(random.nextInt(open.size()));
            // of several with equally many, the first
            case MOST -> Collections.max(open, Comparator.comparing(each -> available.getOrDefault(each, 0L)));
        };
        // several choices may be made before the cloud counts again
        available.merge(chosen, -1L, Long::sum);
        return Optional.of(chosen);
    }

    /** Whether there is one that is not known to be empty. */
    boolean hasUsable() {
        return preferred.stream().anyMatch(vswitch -> batch(vswitch) > 0);
    }

    /** Whether the cloud has to count before the next choice: the count is old, or a refusal has disproved it. */
    boolean countsDue() {
        return policy == VSwitchPolicy.MOST
                && preferred.size() > 1
                && (miscounted || time.nanoTime() - countedNanos >= COUNTED_FOR.toNanos());
    }

    /** Takes over what the cloud counted; the rest stays as it was. The next count is due some minutes later. */
    void counted(List<VSwitch> counts) {
        counts.forEach(vswitch -> available.put(vswitch.id(), vswitch.available()));
        countedNanos = time.nanoTime();
        miscounted = false;
    }

    /** Whether a failure says that a vSwitch will not serve this node again. */
    static boolean unusable(EcsException failure) {
        return UNUSABLE.contains(failure.code()) || lacksIpv6(failure);
    }

    /** Chooses it no more, for as long as the daemon runs; returns whether it was chosen until now. */
    boolean disable(String vswitch) {
        return preferred.remove(vswitch) && disabled.add(vswitch);
    }

    List<String> disabled() {
        return List.copyOf(disabled);
    }

    /** How many addresses may be asked of it in one call now: 0 to 10. */
    int batch(String vswitch) {
        Shortage shortage = shortages.get(vswitch);
        if (shortage != null && time.nanoTime() - shortage.sinceNanos >= MEMORY.toNanos()) {
            shortages.remove(vswitch);
            return AddressBatcher.BATCH;
        }
        return shortage == null ? AddressBatcher.BATCH : shortage.batch;
    }

    /** Notes that it had no free addresses when it was asked for so many; returns whether it is empty now. */
    boolean refused(String vswitch, int asked) {
        shortages.put(vswitch, new Shortage(time.nanoTime(), asked / 2));
        miscounted = true;
        return asked / 2 == 0;
    }

    /** Takes note that it gave as many as were asked of it: after a shortage, more may be asked next time. */
    void granted(String vswitch, int addresses) {
        available.merge(vswitch, (long) -addresses, Long::sum);
        int batch = batch(vswitch);
        if (addresses < batch || batch == AddressBatcher.BATCH) {
            return;
        }
        if (batch * 2 >= AddressBatcher.BATCH) {
            shortages.remove(vswitch);
        } else {
            shortages.put(vswitch, new Shortage(time.nanoTime(), batch * 2));
        }
    }

    /** Takes note that an address of it was given back. */
    void freed(String vswitch) {
        available.merge(vswitch, 1L, Long::sum);
        if (batch(vswitch) == 0) {
            shortages.put(vswitch, new Shortage(time.nanoTime(), 1));
        }
    }

    /** How long until the first empty one is asked again. */
    Duration untilRetry() {
        long nanos = preferred.stream()
                .filter(shortages::containsKey)
                .mapToLong(vswitch -> MEMORY.toNanos() - (time.nanoTime() - shortages.get(vswitch).sinceNanos))
                .min()
                .orElse(0);
        return Duration.ofNanos(Math.max(0, nanos));
    }

    List<String> preferred() {
        return List.copyOf(preferred);
    }
}

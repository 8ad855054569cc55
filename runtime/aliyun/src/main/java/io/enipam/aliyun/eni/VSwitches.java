package io.enipam.aliyun.eni;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The vSwitches addresses come from, in order of preference, and the memory of which had none left. Guarded by the fleet's
 * lock, but for {@link #learn} at start.
 *
 * <p>A vSwitch refuses a call for ten addresses when it has nine. So a refusal first halves what is asked of that vSwitch,
 * and only a refusal of one address means that it is empty.
 */
final class VSwitches {
    /** How long an empty vSwitch is left alone, as peers do. */
    static final Duration MEMORY = Duration.ofMinutes(10);

    /**
     * What a resource's attributes need.
     *
     * @param prefixLength of the vSwitch's range
     * @param gateway the broadcast address minus two, as ECS has it
     */
    record Subnet(int prefixLength, String gateway) {}

    private record Shortage(long sinceNanos, int batch) {}

    private final TimeSource time;
    private final List<String> preferred;
    private final Map<String, Subnet> subnets = new HashMap<>();
    private final Map<String, Shortage> shortages = new HashMap<>();

    VSwitches(TimeSource time, List<VSwitch> preferred) {
        this.time = time;
        this.preferred = preferred.stream().map(VSwitch::id).toList();
        preferred.forEach(this::learn);
    }

    /** Takes note of a vSwitch that ENIs live in, though no new ones are made there. */
    void learn(VSwitch vswitch) {
        IPAddress range = new IPAddressString(vswitch.cidr()).getAddress().toPrefixBlock();
        String gateway = range.getUpper().increment(-2).withoutPrefixLength().toString();
        subnets.put(vswitch.id(), new Subnet(range.getNetworkPrefixLength(), gateway));
    }

    boolean knows(String vswitch) {
        return subnets.containsKey(vswitch);
    }

    Subnet subnet(String vswitch) {
        return Optional.ofNullable(subnets.get(vswitch))
                .orElseThrow(() -> new IllegalStateException("vSwitch " + vswitch + " was never described"));
    }

    /** Where the next ENI is made: the first that is not known to be empty. */
    Optional<String> next() {
        return preferred.stream().filter(vswitch -> batch(vswitch) > 0).findFirst();
    }

    /** How many addresses may be asked of it in one call now: 0 to 10. */
    int batch(String vswitch) {
        Shortage shortage = shortages.get(vswitch);
        if (shortage == null) {
            return AddressWork.BATCH;
        }
        if (time.nanoTime() - shortage.sinceNanos >= MEMORY.toNanos()) {
            shortages.remove(vswitch);
            return AddressWork.BATCH;
        }
        return shortage.batch;
    }

    /**
     * Takes note that it had no room.
     *
     * @param asked how many addresses it was asked for
     * @return whether it is empty now
     */
    boolean refused(String vswitch, int asked) {
        shortages.put(vswitch, new Shortage(time.nanoTime(), asked / 2));
        return asked / 2 == 0;
    }

    /** Takes note that it gave as many as were asked of it: after a shortage, more may be asked next time. */
    void granted(String vswitch, int addresses) {
        int batch = batch(vswitch);
        if (addresses < batch || batch == AddressWork.BATCH) {
            return;
        }
        if (batch * 2 >= AddressWork.BATCH) {
            shortages.remove(vswitch);
        } else {
            shortages.put(vswitch, new Shortage(time.nanoTime(), batch * 2));
        }
    }

    /** Takes note that an address of it was given back. */
    void freed(String vswitch) {
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
        return preferred;
    }
}

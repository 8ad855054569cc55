package io.enipam.aliyun.eni;

import io.enipam.aliyun.eni.EniAddress.Holder;
import java.time.Duration;

/**
 * Terway's {@code min_eni}: so many ENIs stay attached without a pod, so that a pod need not wait for an attach.
 * Guarded by the fleet's lock.
 *
 * <p>An ENI that is there for the minimum's sake alone is {@link Eni#kept}: its primary address is spare, a list leaves
 * it out lest the pool take it for one too many and give it back again, and the next request gets it at once.
 */
final class MinimumEnis {
    /** How long after a failure an ENI without a request is tried again. */
    private static final Duration REST = Duration.ofSeconds(30);

    private final EniRegistry fleet;
    private boolean begun;
    private boolean resting;

    MinimumEnis(EniRegistry fleet) {
        this.fleet = fleet;
    }

    /** The cloud has been read: what is in the registry is all there is, and what is missing may be made. */
    void begin() {
        begun = true;
    }

    /** Whether there are fewer than there shall be. */
    boolean isShort() {
        return begun && !fleet.closed() && staying() < fleet.settings.limits().minEnis();
    }

    /** Whether one more ENI is to be made now, though no request waits for it. */
    boolean wantsOne() {
        return isShort() && !resting;
    }

    /** Whether an ENI whose last address is given back stays all the same. */
    boolean mustKeep(Eni eni) {
        return eni.serves() && staying() <= fleet.settings.limits().minEnis();
    }

    /** Keeps an attached ENI that no pod needs any more. */
    void keep(Eni eni) {
        eni.addresses().get(eni.primaryIp()).become(Holder.SPARE);
        eni.kept = true;
        eni.version++;
    }

    /** An ENI without a request could not be made: it is tried again after a while. */
    void failed(Duration atLeast) {
        resting = true;
        fleet.schedule(atLeast.compareTo(REST) > 0 ? atLeast : REST, () -> resting = false);
    }

    /** ENIs that are here or coming and shall stay, those of other uses included: the minimum is the node's. */
    private int staying() {
        return (int) fleet.enis().stream().filter(Eni::serves).count() + fleet.slots.heldByOthers(fleet.settings.use());
    }
}

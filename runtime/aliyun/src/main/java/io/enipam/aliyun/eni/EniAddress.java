package io.enipam.aliyun.eni;

import io.enipam.aliyun.eni.EniAddress.Holder;
import java.util.Optional;

/**
 * One address of an ENI as the registry has it, and with it the one of the other family that is lent together with it:
 * what becomes of one becomes of both. Guarded by the fleet's lock.
 */
final class EniAddress {
    /** Whose the address is: spare ones are lent to the next request, leaving ones are on their way off the ENI. */
    enum Holder {
        SPARE,
        ENGINE,
        LEAVING
    }

    private final String ip;
    private final HolderCounts counts;
    private Holder holder = Holder.SPARE;
    private Optional<EniAddress> partner = Optional.empty();
    private boolean gone;
    private boolean delivered;
    private boolean lentWithoutPartner;

    /** @param counts of the ENI and the family: the address is in them until it is {@link #removed() gone} */
    EniAddress(String ip, HolderCounts counts) {
        this.ip = ip;
        this.counts = counts;
        counts.add(holder);
    }

    /** In canonical text. */
    String ip() {
        return ip;
    }

    /** The address of the other family that is lent with it. */
    Optional<EniAddress> partner() {
        return partner;
    }

    /** Is lent with an address of the other family from now on, which is held as this one is. */
    void join(EniAddress other) {
        partner = Optional.of(other);
        other.partner = Optional.of(this);
        other.hold(holder);
        lentWithoutPartner = false;
    }

    /** Whether it was lent without an address of the other family, before there were two for each. */
    boolean lentWithoutPartner() {
        return lentWithoutPartner;
    }

    void setLentWithoutPartner(boolean without) {
        lentWithoutPartner = without;
        delivered |= without;
    }

    boolean is(Holder wanted) {
        return holder == wanted;
    }

    void become(Holder next) {
        hold(next);
        partner.ifPresent(other -> other.hold(next));
    }

    private void hold(Holder next) {
        if (!gone) {
            counts.remove(holder);
            counts.add(next);
        }
        holder = next;
    }

    /** It is no address of the ENI any more. */
    void removed() {
        if (!gone) {
            gone = true;
            counts.remove(holder);
            partner.ifPresent(other -> {
                other.partner = Optional.empty();
                if (other.is(Holder.LEAVING)) {
                    // until it is sent on its way by itself
                    other.hold(Holder.SPARE);
                }
            });
            partner = Optional.empty();
        }
    }

    /** Whether the engine has been given it: until then a list leaves it out, lest it be adopted. */
    boolean delivered() {
        return delivered;
    }

    boolean markDelivered() {
        delivered = true;
        return delivered;
    }

    /** How many addresses of an ENI each holder has, kept as they change. Guarded by the fleet's lock. */
    static final class HolderCounts {
        private final int[] counts = new int[Holder.values().length];

        void add(Holder holder) {
            counts[holder.ordinal()]++;
        }

        void remove(Holder holder) {
            counts[holder.ordinal()]--;
        }

        int of(Holder holder) {
            return counts[holder.ordinal()];
        }
    }
}

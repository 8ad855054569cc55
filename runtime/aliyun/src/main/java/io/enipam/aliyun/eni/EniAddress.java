package io.enipam.aliyun.eni;

/** One address of an ENI as the book has it. Guarded by the fleet's lock. */
final class EniAddress {
    /** Whose the address is. */
    enum Holder {
        /** On the ENI, and nobody's: the next wish gets it. */
        SPARE,
        /** The engine's. */
        ENGINE,
        /** On its way off the ENI. */
        LEAVING
    }

    private final HolderCounts counts;
    private Holder holder = Holder.SPARE;
    private boolean gone;
    private boolean delivered;

    /** @param counts of the ENI: the address is in them until it is {@link #leaves() gone} */
    EniAddress(HolderCounts counts) {
        this.counts = counts;
        counts.add(holder);
    }

    Holder holder() {
        return holder;
    }

    boolean is(Holder wanted) {
        return holder == wanted;
    }

    void become(Holder next) {
        if (!gone) {
            counts.remove(holder);
            counts.add(next);
        }
        holder = next;
    }

    /** It is no address of the ENI any more. */
    void leaves() {
        if (!gone) {
            gone = true;
            counts.remove(holder);
        }
    }

    /** Whether the engine is being told: until then a list leaves it out, lest it be adopted long before it is created. */
    boolean delivered() {
        return delivered;
    }

    void markDelivered() {
        delivered = true;
    }
}

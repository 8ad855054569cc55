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

    private Holder holder = Holder.SPARE;
    private boolean delivered;

    Holder holder() {
        return holder;
    }

    boolean is(Holder wanted) {
        return holder == wanted;
    }

    void become(Holder next) {
        holder = next;
    }

    /** Whether the engine is being told: until then a list leaves it out, lest it be adopted long before it is created. */
    boolean delivered() {
        return delivered;
    }

    void markDelivered() {
        delivered = true;
    }
}

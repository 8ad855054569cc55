package io.enipam.aliyun.eni;

import io.enipam.aliyun.eni.EniAddress.Holder;

/**
 * How many addresses of an ENI each holder has: asked for each ENI and each wish, so it is not counted anew each time. Guarded
 * by the fleet's lock.
 */
final class HolderCounts {
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

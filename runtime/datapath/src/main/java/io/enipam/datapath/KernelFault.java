package io.enipam.datapath;

import io.enipam.engine.model.OwnerKey;
import java.util.Optional;

/**
 * Something of the kernel that is not as it should be.
 *
 * @param owner whose connection is concerned; empty for something that belongs to nobody
 * @param part what is concerned
 * @param what is wrong, in a sentence without a full stop, with the names and numbers to look for
 * @param mendable whether {@link KernelDatapath#repair} can put it right without the pod noticing
 */
public record KernelFault(Optional<OwnerKey> owner, Part part, String what, boolean mendable) {
    /** A part of a connection. */
    public enum Part {
        LINK,
        ADDRESS,
        NEIGHBOUR,
        ROUTE,
        RULE,
        QDISC,
        SYSCTL,
        /** The whole of it: nobody is connected by it. */
        LEFTOVER
    }
}

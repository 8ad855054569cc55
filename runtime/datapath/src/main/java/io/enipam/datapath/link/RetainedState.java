package io.enipam.datapath.link;

import java.util.Set;

/**
 * What is still needed when one sandbox is disconnected.
 *
 * @param table whether another one has its table: what is there for all pods of an ENI stays
 * @param addresses literals that another one has too, as after a lost database; what leads to them and names no link is that one's
 */
public record RetainedState(boolean table, Set<String> addresses) {
    public RetainedState {
        addresses = Set.copyOf(addresses);
    }
}

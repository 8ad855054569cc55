package io.enipam.examples.hostlocal;

import io.enipam.examples.hostlocal.NetConf.Network;
import io.enipam.examples.hostlocal.NetConf.Pod;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.IpIntervals;
import io.enipam.sdk.ranges.RangeSet;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who has which address of a network, for good: what a session has done is on the disk when it is over. Thread-safe. */
interface Store extends AutoCloseable {
    /**
     * Does something with a network, while no other caller of this host or, with files, of another program does.
     *
     * @throws IOException if the disk fails, or the network cannot be had in time
     * @throws Refused what the work threw
     */
    <R> R in(Network network, Work<R> work) throws IOException, Refused;

    /**
     * The same for a work that takes addresses for one owner, which may be prepared before the network is had.
     *
     * @param owner the one of each {@link Session#take}
     */
    default <R> R take(Network network, Owner owner, Work<R> work) throws IOException, Refused {
        return in(network, work);
    }

    /** What is done. It may run twice, and then begins anew. */
    interface Work<R> {
        R with(Session session) throws IOException, Refused;
    }

    /** A network in one caller's hand. */
    interface Session {
        /**
         * Says whose addresses these are, for a store that lists them for operators.
         *
         * @param sets that addresses are of
         * @param pod that they are for, where the caller names one
         */
        default void about(List<RangeSet> sets, Optional<Pod> pod) {}

        /** The address of a set that was taken last; empty if it is not known. */
        Optional<Ip> last(int number) throws IOException;

        /** The addresses that are taken; to be read alone, and until the session changes something. */
        IpIntervals used();

        /** The address of a set whose turn it is. */
        default Optional<Ip> next(RangeSet set, int number) throws IOException {
            return set.next(last(number), used());
        }

        /**
         * Takes an address, and remembers it as the last of its set.
         *
         * @return false if it is taken
         */
        boolean take(Ip ip, int number, Owner owner) throws IOException;

        /** Remembers the address of a set that was taken last. */
        void setLast(int number, Ip ip) throws IOException;

        /** Gives an address back, whatever is known of its owner. */
        boolean remove(Ip ip) throws IOException;

        /** The addresses of an owner, and of no other interface of its container. */
        List<Ip> owned(Owner owner) throws IOException;

        /** Every address that is taken or has an empty file, with its owner; that of an empty file has no container. */
        Map<Ip, Owner> owners() throws IOException;
    }

    @Override
    void close();
}

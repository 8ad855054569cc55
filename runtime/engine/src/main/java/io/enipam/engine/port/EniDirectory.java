package io.enipam.engine.port;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** The ENIs a factory keeps, for inspection. Thread-safe, instant: no I/O. */
public interface EniDirectory {
    /** All ENIs the factory knows, those half made and half unmade included, ordered by id. */
    List<Eni> enis();

    /** How far the cloud's descriptions lag behind this node's own changes, as measured; zero if it was not measured. */
    default Duration lag() {
        return Duration.ZERO;
    }

    /**
     * One ENI.
     *
     * @param id the cloud's id; a placeholder in brackets while it has none yet
     * @param mac hardware address, or empty text while unknown
     * @param state the factory's state of it: Creating, Attaching, InUse, Lost, Detaching, Deleting, Stuck
     * @param primaryIp its primary address, or empty text while unknown
     * @param vswitch the vSwitch it lives in
     * @param addressLimit how many pods' addresses the instance type allows on it: of IPv4, or of the scarcer family where a pod
     *     has both
     * @param addresses the IPv4 addresses it has now, the primary one included
     * @param ipv6s the IPv6 addresses it has now; empty where pods have none
     * @param queued requests for addresses that wait for its worker
     * @param since when it entered its state
     */
    record Eni(
            String id,
            String mac,
            String state,
            String primaryIp,
            String vswitch,
            int addressLimit,
            List<String> addresses,
            List<String> ipv6s,
            int queued,
            Instant since) {
        public Eni {
            addresses = List.copyOf(addresses);
            ipv6s = List.copyOf(ipv6s);
        }

        /** Its addresses of both families, IPv4 first. */
        public List<String> all() {
            return Stream.concat(addresses.stream(), ipv6s.stream()).toList();
        }

        /** One without IPv6. */
        public Eni(
                String id,
                String mac,
                String state,
                String primaryIp,
                String vswitch,
                int addressLimit,
                List<String> addresses,
                int queued,
                Instant since) {
            this(id, mac, state, primaryIp, vswitch, addressLimit, addresses, List.of(), queued, since);
        }
    }
}

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
     * @param id the cloud's id; a placeholder in brackets while it has none yet
     * @param mac hardware address, or empty text while unknown
     * @param state the factory's state of it: Creating, Attaching, InUse, Lost, Detaching, Deleting, Stuck
     * @param addressLimit how many pods' addresses the instance type allows on it: of IPv4, or of the scarcer family where a pod
     *     has both
     * @param queued requests for addresses that wait for its worker
     */
    record Eni(
            String id,
            String mac,
            String state,
            String vswitch,
            int addressLimit,
            EniAddresses assigned,
            int queued,
            Instant since) {
        /** Whether another actor has taken it off the instance. */
        public boolean isLost() {
            return state.equals("Lost");
        }

        public String primaryIp() {
            return assigned.primary();
        }

        /** Its IPv4 addresses, the primary one included. */
        public List<String> addresses() {
            return assigned.ipv4();
        }

        public List<String> ipv6s() {
            return assigned.ipv6();
        }

        /** Its addresses of both families, IPv4 first. */
        public List<String> all() {
            return assigned.all();
        }
    }

    /**
     * @param primary its primary IPv4 address, or empty text while unknown
     * @param ipv4 all its IPv4 addresses, the primary one included
     * @param ipv6 all its IPv6 addresses, in canonical text; empty where pods have none
     */
    public record EniAddresses(String primary, List<String> ipv4, List<String> ipv6) {
        public EniAddresses {
            ipv4 = List.copyOf(ipv4);
            ipv6 = List.copyOf(ipv6);
        }

        /** The addresses of both families, IPv4 first. */
        public List<String> all() {
            return Stream.concat(ipv4.stream(), ipv6.stream()).toList();
        }
    }
}

package io.enipam.diagnostics.readiness;

import java.time.Instant;
import java.util.List;

/**
 * One thing that is wrong now, named by its cause.
 *
 * @param critical whether no ADD can be served, or pods are without network
 * @param text the cause and its effect in one line; no time, and no advice
 * @param since when it began; where nobody knows that, when it was first seen
 * @param pods those it is about, in order: without network, waiting for an address, or gone
 * @param enis those it is about
 * @param advice commands with {@code "; "} between them
 */
public record Trouble(
        Cause cause,
        boolean critical,
        String text,
        Instant since,
        List<String> pods,
        List<String> enis,
        String advice) {
    public Trouble {
        pods = List.copyOf(pods);
        enis = List.copyOf(enis);
    }

    public String severity() {
        return critical ? "CRITICAL" : "WARN";
    }

    /** Pods that had an address and have no network now; none of any other trouble. */
    public List<String> lost() {
        return cause == Cause.ENI_LOST || cause == Cause.ADDRESS_LOST ? pods : List.of();
    }

    /** The causes, in the order in which troubles of one severity are reported. */
    public enum Cause {
        /** An ENI is off this node, and pods have addresses of it. */
        ENI_LOST("eni-lost", false),
        /** The cloud took addresses that pods have. */
        ADDRESS_LOST("address-lost", false),
        /** The engine does not serve: it has not recovered, or stops. */
        ENGINE("not-serving", true),
        /** It cannot be written. */
        DATABASE("database-unwritable", true),
        /** It cannot be changed, although this daemon is to connect pods. */
        KERNEL("kernel-unusable", true),
        /** No address is idle, and none can be made. */
        SUPPLY("supply-failing", true),
        /** All that this node can have is lent. */
        POOL_FULL("pool-exhausted", true),
        /** All ADDs of the last minute have failed. */
        ADDS("add-failures", true),
        /** All ADDs of late have failed, for less than a minute: the runtime goes on asking. */
        ADDS_FAILING("add-failures", false),
        /** Pods are gone, and no DEL has ended their leases. */
        LEASE_LEAKED("lease-stale", false),
        /** Less than wanted is idle, and no more can be made. */
        STOCK("supply-failing", false),
        /** What the policy asks for is not followed. */
        POLICY("policy-target", false),
        /** The watch on the cluster's pods has broken. */
        API_SERVER("apiserver-unreachable", false),
        /** What the cluster says of the configuration is not in force. */
        CONFIG("config-not-followed", false);

        private final String check;
        private final boolean stopsAdds;

        Cause(String check, boolean stopsAdds) {
            this.check = check;
            this.stopsAdds = stopsAdds;
        }

        /** The doctor's check that finds it and looks closer. */
        public String check() {
            return check;
        }

        /** Whether no ADD can be served as long as it lasts. */
        public boolean stopsAdds() {
            return stopsAdds;
        }

        /** Whether it makes the node unready: one without addresses serves its pods, and is no broken one. */
        public boolean breaksNode() {
            return stopsAdds && this != SUPPLY && this != POOL_FULL;
        }
    }
}

package io.enipam.datapath.record;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * How one sandbox is connected: all that a repair or a tear-down needs, without lease, pod or namespace. In JSON as it is here.
 *
 * @param owner {@code NETWORK/CONTAINER/IFNAME}
 * @param namespace the pod's
 * @param pod the pod's name
 * @param podUid the pod's UID, or empty text
 * @param kind name of the kind of link
 * @param netns path of the pod's namespace
 * @param hostLink the link on the node's side that is this sandbox's alone; empty text for none
 * @param hostMac its hardware address, or empty text
 * @param podMac the hardware address of the pod's link
 * @param mtu in bytes
 * @param addresses the pod's
 * @param eniMac of the ENI, in lower case; empty text for none
 * @param table of the ENI's routes; 0 for none
 * @param ingress bytes a second to the pod; 0 for no limit
 * @param egress bytes a second from it; 0 for no limit
 * @param asked what the caller of the ADD asked of the limits, for where the pod's manifest says nothing
 * @param throughNode CIDRs that the pod reaches through the node and not through the ENI
 * @param more what only its kind understands
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record AttachmentRecord(
        String owner,
        String namespace,
        String pod,
        String podUid,
        String kind,
        String netns,
        String hostLink,
        String hostMac,
        String podMac,
        int mtu,
        List<PodAddress> addresses,
        String eniMac,
        long table,
        long ingress,
        long egress,
        Limits asked,
        List<String> throughNode,
        Map<String, String> more) {
    public AttachmentRecord {
        // a record of an earlier version does not say who asked
        asked = Objects.requireNonNullElseGet(asked, () -> new Limits(ingress, egress));
        addresses = List.copyOf(addresses);
        throughNode = List.copyOf(throughNode);
        more = Map.copyOf(more);
    }

    /**
     * Limits of bandwidth.
     *
     * @param ingress bytes a second to the pod; 0 for no limit
     * @param egress bytes a second from it; 0 for no limit
     */
    public record Limits(long ingress, long egress) {}

    /** The same of a pod whose manifest says something else, or whose UID is known by now. */
    public AttachmentRecord adjusted(String uid, PodNetworkSpec wishes) {
        return new AttachmentRecord(
                owner,
                namespace,
                pod,
                uid,
                kind,
                netns,
                hostLink,
                hostMac,
                podMac,
                mtu,
                addresses,
                eniMac,
                table,
                wishes.ingress().orElse(asked.ingress()),
                wishes.egress().orElse(asked.egress()),
                asked,
                throughNode,
                more);
    }

    /**
     * An address of the pod.
     *
     * @param ip an address literal
     * @param prefix length of its subnet's prefix
     * @param gateway of its subnet, an address literal; empty text for none
     */
    public record PodAddress(String ip, int prefix, String gateway) {
        @JsonIgnore
        public Family family() {
            return ip.indexOf(':') < 0 ? Family.IPV4 : Family.IPV6;
        }

        /** The address as a network of its own: {@code 10.0.1.7/32}. */
        @JsonIgnore
        public String alone() {
            return ip + "/" + family().bits();
        }

        /** The address in its subnet: {@code 10.0.1.7/24}. */
        @JsonIgnore
        public String inSubnet() {
            return ip + "/" + prefix;
        }

        /** All there is in its family: {@code 0.0.0.0/0}. */
        @JsonIgnore
        public String everywhere() {
            return family() == Family.IPV4 ? "0.0.0.0/0" : "::/0";
        }
    }

    @JsonIgnore
    public OwnerKey key() {
        return OwnerKey.parse(owner);
    }

    @JsonIgnore
    public PodRef podRef() {
        return new PodRef(namespace, pod);
    }

    /** The pod's link, as it is called in its namespace. */
    @JsonIgnore
    public String podLink() {
        return key().ifName();
    }

    /** What the kernel remembers of its links. */
    @JsonIgnore
    public String alias() {
        return new LinkAlias(key(), Optional.of(podRef()), podUid).text();
    }

    /** Those of the CIDRs through the node that are of the family. */
    public List<String> throughNode(Family family) {
        return throughNode.stream()
                .filter(cidr -> (cidr.indexOf(':') >= 0) == (family == Family.IPV6))
                .toList();
    }

    /** Whether it has an address of the family. */
    public boolean has(Family family) {
        return addresses.stream().anyMatch(address -> address.family() == family);
    }
}

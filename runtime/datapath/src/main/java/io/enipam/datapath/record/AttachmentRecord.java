package io.enipam.datapath.record;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.enipam.datapath.record.SandboxLinkNames.LinkAlias;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathRequest.Gateways;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * How one sandbox is connected: all that a repair or a tear-down needs, without lease, pod or namespace. In JSON the
 * fields of its parts stand beside its own, in this order.
 *
 * @param throughNode CIDRs that the pod reaches through the node and not through the ENI
 * @param more what only its kind understands
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record AttachmentRecord(
        @JsonUnwrapped Sandbox sandbox,
        String kind,
        @JsonUnwrapped Ends ends,
        List<PodAddress> addresses,
        @JsonUnwrapped Eni eni,
        @JsonUnwrapped Bandwidth bandwidth,
        List<String> throughNode,
        Map<String, String> more) {
    public AttachmentRecord {
        addresses = List.copyOf(addresses);
        throughNode = List.copyOf(throughNode);
        more = Map.copyOf(more);
    }

    /** A sandbox, as {@code NETWORK/CONTAINER/IFNAME}, and its pod; what is not known of the pod is empty text. */
    public record Sandbox(String owner, String namespace, String pod, String podUid) {
        public static Sandbox of(DatapathRequest connection) {
            PodRef pod = connection.lease().pod();
            return new Sandbox(
                    connection.lease().owner().toString(),
                    pod.namespace(),
                    pod.name(),
                    connection.lease().podUid());
        }

        /** That of a link whose record is lost. */
        public static Sandbox of(LinkAlias alias) {
            return new Sandbox(
                    alias.owner().toString(),
                    alias.pod().map(PodRef::namespace).orElse(""),
                    alias.pod().map(PodRef::name).orElse(""),
                    alias.podUid());
        }
    }

    /**
     * The namespace and the links of a sandbox.
     *
     * @param netns path of the pod's namespace; empty text if it was lost with the record
     * @param hostLink the link on the node's side that is this sandbox's alone; empty text for none
     * @param hostMac its hardware address, or empty text
     */
    public record Ends(String netns, String hostLink, String hostMac, String podMac, int mtu) {
        /** Those of a connection that has a link of its own on the node's side. */
        public static Ends of(DatapathRequest connection, String podMac, int mtu) {
            SandboxLinkNames name = new SandboxLinkNames(connection.lease().owner());
            String hostLink = name.link(connection.link().vethPrefix());
            return new Ends(connection.link().netns(), hostLink, name.mac(0), podMac, mtu);
        }
    }

    /**
     * The ENI of a sandbox, its address in lower case, empty text for none, and the table of its routes, 0 for none.
     */
    public record Eni(String eniMac, long table) {
        public static final Eni NONE = new Eni("", 0);
    }

    /** The limits of bandwidth in force, and those that the ADD's caller asks for, for where the pod's manifest has none. */
    public record Bandwidth(long ingress, long egress, Limits asked) {
        public static final Bandwidth NONE = new Bandwidth(0, 0, new Limits(0, 0));

        public Bandwidth {
            // a record of an earlier version does not have them
            asked = Objects.requireNonNullElseGet(asked, () -> new Limits(ingress, egress));
        }

        public static Bandwidth of(DatapathRequest connection) {
            return new Bandwidth(
                    connection.ingress().orElse(0),
                    connection.egress().orElse(0),
                    new Limits(
                            connection.link().ingress().orElse(0),
                            connection.link().egress().orElse(0)));
        }
    }

    /** Limits of bandwidth in bytes a second, to the pod and from it; 0 for no limit. */
    public record Limits(long ingress, long egress) {}

    /** An address of the pod, the prefix length of its subnet, and the subnet's gateway, empty text for none. */
    public record PodAddress(String ip, int prefix, String gateway) {
        public Family family() {
            return ip.indexOf(':') < 0 ? Family.IPV4 : Family.IPV6;
        }

        /** The address as a network of its own: {@code 10.0.1.7/32}. */
        public String alone() {
            return ip + "/" + family().bits();
        }

        /** The address in its subnet: {@code 10.0.1.7/24}. */
        public String inSubnet() {
            return ip + "/" + prefix;
        }

        /** All addresses of its family: {@code 0.0.0.0/0}. */
        public String everywhere() {
            return family() == Family.IPV4 ? "0.0.0.0/0" : "::/0";
        }

        /** The addresses of a resource, with their gateways where it has them. */
        public static List<PodAddress> of(Resource resource) {
            return resource.addresses().stream()
                    .map(address -> new PodAddress(
                            address.host(),
                            address.prefixLength(),
                            Gateways.of(resource, address.family()).orElse("")))
                    .toList();
        }

        /**
         * The addresses of a resource, for pods whose packets go to their subnets' gateways. Throws IpamException if
         * the resource does not name one.
         */
        public static List<PodAddress> routed(Resource resource) {
            List<PodAddress> addresses = of(resource);
            for (PodAddress address : addresses) {
                if (address.gateway().isEmpty()) {
                    throw new IpamException(
                            ErrorCode.DATAPATH_FAILED,
                            resource.id() + " does not say through which gateway " + address.inSubnet()
                                    + " leaves its subnet",
                            "the resource's factory has to give the attribute "
                                    + (address.family() == Family.IPV4 ? Resource.GATEWAY : Gateways.IPV6));
                }
            }
            return addresses;
        }
    }

    /** Whether another sandbox can be made on what this one's links are. */
    public boolean hasLinksOf(AttachmentRecord other) {
        return kind.equals(other.kind)
                && hostLink().equals(other.hostLink())
                && table() == other.table()
                && each(PodAddress::ip).equals(other.each(PodAddress::ip));
    }

    /** The same of a pod whose manifest has other limits, or whose UID is known by now. */
    public AttachmentRecord adjusted(String uid, PodNetworkSpec spec) {
        Limits asked = bandwidth.asked;
        return new AttachmentRecord(
                new Sandbox(sandbox.owner, sandbox.namespace, sandbox.pod, uid),
                kind,
                ends,
                addresses,
                eni,
                new Bandwidth(
                        spec.ingress().orElse(asked.ingress()), spec.egress().orElse(asked.egress()), asked),
                throughNode,
                more);
    }

    public OwnerKey key() {
        return OwnerKey.parse(sandbox.owner);
    }

    public PodRef podRef() {
        return new PodRef(sandbox.namespace, sandbox.pod);
    }

    public String netns() {
        return ends.netns;
    }

    public String hostLink() {
        return ends.hostLink;
    }

    public String hostMac() {
        return ends.hostMac;
    }

    public int mtu() {
        return ends.mtu;
    }

    public String eniMac() {
        return eni.eniMac;
    }

    public long table() {
        return eni.table;
    }

    public long ingress() {
        return bandwidth.ingress;
    }

    public long egress() {
        return bandwidth.egress;
    }

    /** The name of the pod's link in its namespace. */
    public String podLink() {
        return key().ifName();
    }

    /** The alias that the kernel keeps for its links. */
    public String alias() {
        return new LinkAlias(key(), Optional.of(podRef()), sandbox.podUid).text();
    }

    public <T> List<T> each(Function<PodAddress, T> of) {
        return addresses.stream().map(of).toList();
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

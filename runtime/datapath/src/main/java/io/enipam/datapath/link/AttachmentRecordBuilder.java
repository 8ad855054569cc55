package io.enipam.datapath.link;

import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecord.Limits;
import io.enipam.datapath.record.AttachmentRecord.PodAddress;
import io.enipam.datapath.record.LinkAlias;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathRequest.Gateways;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A record in the making: each kind says what it has, and of the rest there is none. Not thread-safe. */
public final class AttachmentRecordBuilder {
    private final String kind;
    private final OwnerKey owner;
    private final Optional<PodRef> pod;
    private final String podUid;
    private String netns = "";
    private String hostLink = "";
    private String hostMac = "";
    private String podMac = "";
    private int mtu;
    private List<PodAddress> addresses = List.of();
    private String eniMac = "";
    private long table;
    private long ingress;
    private long egress;
    private Limits asked = new Limits(0, 0);
    private List<String> throughNode = List.of();
    private Map<String, String> more = Map.of();

    private AttachmentRecordBuilder(String kind, OwnerKey owner, Optional<PodRef> pod, String podUid) {
        this.kind = kind;
        this.owner = owner;
        this.pod = pod;
        this.podUid = podUid;
    }

    /** Of a connection that is to be made. */
    public static AttachmentRecordBuilder of(String kind, DatapathRequest connection) {
        AttachmentRecordBuilder draft = new AttachmentRecordBuilder(
                kind,
                connection.lease().owner(),
                Optional.of(connection.lease().pod()),
                connection.lease().podUid());
        draft.netns = connection.link().netns();
        draft.ingress = connection.ingress().orElse(0);
        draft.egress = connection.egress().orElse(0);
        draft.asked = new Limits(
                connection.link().ingress().orElse(0),
                connection.link().egress().orElse(0));
        return draft;
    }

    /** Of one whose record is lost: nothing tells its namespace and its limits. */
    public static AttachmentRecordBuilder of(String kind, LinkAlias alias) {
        return new AttachmentRecordBuilder(kind, alias.owner(), alias.pod(), alias.podUid());
    }

    /** The link on the node's side that is the sandbox's alone. */
    public AttachmentRecordBuilder hostLink(String name, String mac) {
        this.hostLink = name;
        this.hostMac = mac;
        return this;
    }

    /** The pod's link. */
    public AttachmentRecordBuilder podLink(String mac, int bytes) {
        this.podMac = mac;
        this.mtu = bytes;
        return this;
    }

    /** The pod's addresses. */
    public AttachmentRecordBuilder addresses(List<PodAddress> all) {
        this.addresses = all;
        return this;
    }

    /**
     * The ENI.
     *
     * @param number of its table; 0 for none
     */
    public AttachmentRecordBuilder eni(String mac, long number) {
        this.eniMac = mac;
        this.table = number;
        return this;
    }

    /** The CIDRs that the pod reaches through the node. */
    public AttachmentRecordBuilder throughNode(List<String> cidrs) {
        this.throughNode = cidrs;
        return this;
    }

    /** What only the kind understands. */
    public AttachmentRecordBuilder more(Map<String, String> what) {
        this.more = what;
        return this;
    }

    public AttachmentRecord build() {
        return new AttachmentRecord(
                owner.toString(),
                pod.map(PodRef::namespace).orElse(""),
                pod.map(PodRef::name).orElse(""),
                podUid,
                kind,
                netns,
                hostLink,
                hostMac,
                podMac,
                mtu,
                addresses,
                eniMac,
                table,
                ingress,
                egress,
                asked,
                throughNode,
                more);
    }

    /** The addresses of a resource, with their gateways where it says them. */
    public static List<PodAddress> addresses(Resource resource) {
        return resource.addresses().stream()
                .map(address -> new PodAddress(
                        address.host(),
                        address.prefixLength(),
                        Gateways.of(resource, address.family()).orElse("")))
                .toList();
    }

    /**
     * The addresses of a resource, for pods whose packets go to their subnets' gateways.
     *
     * @throws IpamException if the resource does not name one
     */
    public static List<PodAddress> routedAddresses(Resource resource) {
        List<PodAddress> addresses = addresses(resource);
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

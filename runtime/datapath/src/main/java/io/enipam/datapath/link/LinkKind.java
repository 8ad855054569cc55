package io.enipam.datapath.link;

import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.SandboxLinkNames.LinkAlias;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One way to connect a pod. Without state of its own: what it has to remember is in the record. Called on the datapath's own
 * threads, where it may block; never twice at once for one owner, at any time for different ones.
 */
public interface LinkKind {
    /** Its name in records; it never changes. */
    String name();

    /** Whether it serves this pod; the first kind that does is used. */
    boolean serves(DatapathRequest connection);

    /**
     * How the pod will be connected: everything that can be decided or refused before the kernel is touched. Nothing is
     * changed. Throws IpamException if the pod cannot be connected this way.
     */
    AttachmentRecord design(DatapathRequest connection, LinkContext node);

    /**
     * Makes it so, from whatever is there: nothing, a half, or all of it. The record is on disk. Throws
     * RuntimeException with the command that failed; the caller disconnects then.
     */
    void connect(AttachmentRecord record, LinkContext node);

    /**
     * Takes it away, as far as it is there, but what others still need of it; the namespace may be gone. Without
     * another on its table, what is there for all pods of an ENI goes too. Throws RuntimeException if something of it
     * is still there.
     */
    void disconnect(AttachmentRecord record, LinkContext node, RetainedState staying);

    /**
     * What of it the node's namespace has: the addresses that reach the pod, none if it is half made; empty if nothing of it is
     * there.
     */
    default Optional<Set<InetAddress>> reachableAddresses(AttachmentRecord record, NetnsSnapshot node) {
        return node.link(record.hostLink()).map(link -> NodeLinks.reached(link.name(), node));
    }

    /**
     * The record of a link in the node's namespace whose record is lost, as far as the kernel still has it; empty if it
     * is none of this kind.
     */
    default Optional<AttachmentRecord> recoverRecord(LinkAlias alias, NetnsSnapshot.Link link, NetnsSnapshot node) {
        return Optional.empty();
    }

    /** The links in the pod's namespace on which the limit of what comes from the pod lies. */
    default List<String> limitedInPod(AttachmentRecord record) {
        return List.of(record.podLink());
    }

    /** How the kernel looks when all is well. */
    Expectation expectation(AttachmentRecord record, LinkContext node);

    /** How the pod is connected, as a CNI result. */
    default DatapathResult wiring(AttachmentRecord record) {
        return VethPair.of(record).result();
    }

    /**
     * What is still needed when one sandbox is disconnected.
     *
     * @param table whether another one has its table: what is there for all pods of an ENI stays
     * @param addresses literals that another one has too, as after a lost database; what leads to them and names no link is that one's
     */
    record RetainedState(boolean table, Set<String> addresses) {}
}

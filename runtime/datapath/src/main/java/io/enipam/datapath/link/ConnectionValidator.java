package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.record.SandboxLinkNames.LinkAlias;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks the values of callers that reach a command line: refused where they mean something else there. To {@code ip} a quote or a
 * number sign is not part of a name, to the kernel {@code %d} is a number to be found, and {@code all} is every link.
 */
public final class ConnectionValidator {
    private static final Pattern LINK = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@+=-]{0,14}");
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]{0,3}");
    private static final Set<String> TAKEN = Set.of("all", "default", "lo");

    private ConnectionValidator() {}

    /**
     * Looks at what every kind needs: names and the namespace. Throws IpamException if something of it cannot be used.
     */
    public static void check(DatapathRequest connection, LinkContext node) {
        OwnerKey owner = connection.lease().owner();
        if (!LINK.matcher(owner.ifName()).matches() || TAKEN.contains(owner.ifName())) {
            throw refused(
                    "the interface name '" + owner.ifName() + "' cannot be used",
                    "set CNI_IFNAME to 1 to 15 letters, digits and _.@+=-, and not to all, default or lo");
        }
        String prefix = connection.link().vethPrefix();
        if (!PREFIX.matcher(prefix).matches()) {
            throw refused(
                    "the veth_prefix '" + prefix + "' cannot begin the name of a link",
                    "set veth_prefix to 1 to 4 letters and digits, a letter first; 'cali' is the usual one");
        }
        if (!new LinkAlias(owner, Optional.empty(), "").fits()) {
            throw refused(
                    "the network's name and the container's id are too long together: the kernel remembers "
                            + LinkAlias.MOST + " bytes of a link's owner",
                    "give the network a shorter name");
        }
        String objection = Netns.objection(connection.link().netns(), node.netns());
        if (!objection.isEmpty()) {
            throw refused(
                    "the network namespace '" + connection.link().netns() + "' cannot be used: " + objection,
                    "set CNI_NETNS to the file of the pod's own namespace, such as /var/run/netns/NAME");
        }
    }

    /**
     * The CIDRs that a pod reaches through the node: those of services, the network's, and more. Throws IpamException
     * if one of them is none.
     */
    public static List<String> throughNode(DatapathRequest connection, LinkContext node, List<String> more) {
        return Stream.of(node.side().serviceCidrs(), connection.link().hostStackCidrs(), more)
                .flatMap(List::stream)
                .map(String::trim)
                .filter(cidr -> !cidr.isEmpty())
                .map(ConnectionValidator::cidr)
                .distinct()
                .sorted()
                .toList();
    }

    private static String cidr(String text) {
        try {
            return network(Address.parse(text));
        } catch (IllegalArgumentException e) {
            throw refused(
                    "'" + text + "' is no CIDR: " + e.getMessage(),
                    "look at service_cidr of the node's configuration and at host_stack_cidrs of the network's");
        }
    }

    /** Without the bits behind the prefix, which the kernel refuses. */
    private static String network(Address cidr) {
        byte[] bits = cidr.ip().getAddress();
        for (int i = cidr.prefixLength(); i < bits.length * 8; i++) {
            bits[i / 8] &= (byte) ~(0x80 >> i % 8);
        }
        try {
            return new Address(InetAddress.getByAddress(bits), cidr.prefixLength()).toString();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address is as long as it was", e);
        }
    }

    private static IpamException refused(String what, String hint) {
        return new IpamException(ErrorCode.INVALID_ARGUMENT, what, hint);
    }
}

package io.enipam.examples.nodeipam.clustercidr;

import io.enipam.examples.nodeipam.blocks.BlockRange;
import io.enipam.sdk.Family;
import io.enipam.sdk.cluster.ClusterObject;
import io.enipam.sdk.cluster.ObjectKind;
import io.enipam.sdk.cluster.ObjectRef;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a {@code ClusterCIDR} says: which nodes it is for, and which addresses they get. Immutable.
 *
 * @param selector empty for all nodes
 * @param hostBits how many bits of an address are a node's own: its block is a /(32 - hostBits), or a /(128 - hostBits)
 * @param ipv4 as it is written, maybe with host bits; it or {@code ipv6} is there, or both are
 */
public record ClusterCidr(
        String name, Optional<NodeSelector> selector, int hostBits, Optional<Subnet> ipv4, Optional<Subnet> ipv6) {
    /** As the controller of kubernetes-sigs has it. */
    public static final ObjectKind KIND =
            ObjectKind.ofCluster("networking.x-k8s.io", "v1", "ClusterCIDR", "clustercidrs");

    /** The object that is made for the setting {@code cluster_cidr}. */
    public static final String DEFAULT = "default-cluster-cidr";

    /** An object that is deleted stays until no node has a block of it. */
    static final String FINALIZER = "networking.x-k8s.io/cluster-cidr-finalizer";

    private static final int LEAST_HOST_BITS = 4;
    /** Between the length of an IPv6 range and of its blocks. */
    private static final int MOST_BITS_OF_IPV6 = 16;

    private static final int MOST_PROBLEMS = 10;
    /** It is kept in a row of a table. */
    private static final int LONGEST = 100_000;

    public ClusterCidr {
        if (ipv4.isEmpty() && ipv6.isEmpty()) {
            throw new IllegalArgumentException("A CIDR must be specified for ipv4 or ipv6.");
        }
    }

    /**
     * Reads an object.
     *
     * @throws IllegalArgumentException with all that is wrong with it (ten things at most), in the words of its CRD where it has some
     */
    static ClusterCidr read(ClusterObject object) {
        List<String> problems = new ArrayList<>();
        Optional<NodeSelector> selector =
                object.at("spec", "nodeSelector").map(tree -> NodeSelector.read(tree, problems));
        Optional<Subnet> ipv4 = subnet(object, "ipv4", Family.IPV4, "IPv4", problems);
        Optional<Subnet> ipv6 = subnet(object, "ipv6", Family.IPV6, "IPv6", problems);
        if (!isWritten(object, "ipv4") && !isWritten(object, "ipv6")) {
            problems.add("spec: A CIDR must be specified for ipv4 or ipv6.");
        }
        OptionalInt bits = hostBits(object, problems);
        Stream.of(ipv4, ipv6)
                .flatMap(Optional::stream)
                .forEach(cidr -> bits.ifPresent(its -> {
                    int most = cidr.address().family().bits() - cidr.length();
                    if (its > most) {
                        problems.add("spec.perNodeHostBits: must be less than or equal to " + most + ", for " + cidr);
                    }
                }));
        if (problems.isEmpty()) {
            ClusterCidr read = new ClusterCidr(object.name(), selector, bits.getAsInt(), ipv4, ipv6);
            read.check();
            if (Kept.json(read.object().body()).length() > LONGEST) {
                throw new IllegalArgumentException("spec.nodeSelector: must have less than " + LONGEST + " characters");
            }
            return read;
        }
        int more = problems.size() - MOST_PROBLEMS;
        throw new IllegalArgumentException(
                problems.stream().limit(MOST_PROBLEMS).collect(Collectors.joining("; "))
                        + (more > 0 ? "; and " + more + " more" : ""));
    }

    /** An empty text counts as not written, as a client in Go may send it. */
    private static boolean isWritten(ClusterObject object, String field) {
        return object.at("spec", field).filter(value -> !value.equals("")).isPresent();
    }

    private static Optional<Subnet> subnet(
            ClusterObject object, String field, Family family, String name, List<String> problems) {
        if (!isWritten(object, field)) {
            return Optional.empty();
        }
        String text = object.text("spec", field);
        try {
            Subnet read = Subnet.parse(text);
            if (read.address().unmapped().family() == family) {
                return Optional.of(read);
            }
        } catch (IllegalArgumentException e) {
            // the problem says it
        }
        problems.add("spec." + field + ": " + NodeSelector.shown(text) + ": " + name + " must be a valid " + name
                + " CIDR.");
        return Optional.empty();
    }

    private static OptionalInt hostBits(ClusterObject object, List<String> problems) {
        String path = "spec.perNodeHostBits: ";
        Optional<Object> written = object.at("spec", "perNodeHostBits");
        if (!(written.orElse("") instanceof Number number)) {
            problems.add(path + "must be a whole number");
            return OptionalInt.empty();
        }
        int bits = number.intValue();
        // a number that no int holds, or with a fraction, is another one as an int
        if (!number.toString().equals(String.valueOf(bits))) {
            problems.add(path + "must be a whole number of 32 bits");
            return OptionalInt.empty();
        }
        if (bits < LEAST_HOST_BITS) {
            problems.add(path + "must be greater than or equal to " + LEAST_HOST_BITS);
            return OptionalInt.empty();
        }
        return OptionalInt.of(bits);
    }

    /**
     * The object for the setting {@code cluster_cidr}. It has one number of host bits for both families, the smaller one that is possible.
     *
     * @param cidrs one, or one of each family
     * @param blockLengths for each of them, the length of a node's prefix
     * @throws IllegalArgumentException if that is no valid {@code ClusterCIDR}
     */
    public static ClusterObject ofSetting(List<Subnet> cidrs, List<Integer> blockLengths) {
        int bits = Integer.MAX_VALUE;
        Map<Family, Subnet> of = new EnumMap<>(Family.class);
        for (int i = 0; i < cidrs.size(); i++) {
            Family family = cidrs.get(i).address().family();
            of.put(family, cidrs.get(i).network());
            int its = family.bits() - blockLengths.get(i);
            bits = its >= LEAST_HOST_BITS ? Math.min(bits, its) : bits;
        }
        ClusterCidr usual = new ClusterCidr(
                DEFAULT,
                Optional.empty(),
                bits == Integer.MAX_VALUE ? LEAST_HOST_BITS : bits,
                Optional.ofNullable(of.get(Family.IPV4)),
                Optional.ofNullable(of.get(Family.IPV6)));
        ClusterObject object = usual.object().withFinalizers(List.of(FINALIZER));
        read(object);
        return object;
    }

    /** The object that says this. */
    ClusterObject object() {
        Map<String, Object> spec = new LinkedHashMap<>();
        selector.ifPresent(its -> spec.put("nodeSelector", its.tree()));
        spec.put("perNodeHostBits", hostBits);
        ipv4.ifPresent(its -> spec.put("ipv4", its.toString()));
        ipv6.ifPresent(its -> spec.put("ipv6", its.toString()));
        return ClusterObject.of(ObjectRef.of(KIND, name), Map.of("spec", spec));
    }

    /** IPv4 first. */
    Stream<Subnet> cidrs() {
        return Stream.of(ipv4, ipv6).flatMap(Optional::stream).map(Subnet::network);
    }

    /** The length of the prefix of a node's block. */
    int blockLength(Family family) {
        return family.bits() - hostBits;
    }

    private void check() {
        cidrs().forEach(cidr -> {
            int length = blockLength(cidr.address().family());
            if (cidr.address().family() == Family.IPV6 && length - cidr.length() > MOST_BITS_OF_IPV6) {
                throw new IllegalArgumentException("Creation of New CIDR Set failed for " + cidr + ". PerNodeMaskSize "
                        + length + " is too big for CIDR Mask " + cidr.length() + ", Maximum difference allowed is "
                        + MOST_BITS_OF_IPV6);
            }
            BlockRange.check(cidr, length);
        });
    }

    /** Its ranges, with nothing taken, IPv4 first. */
    List<BlockRange> ranges() {
        return cidrs().map(
                        cidr -> new BlockRange(cidr, blockLength(cidr.address().family())))
                .toList();
    }

    /** What differs from what it was before, in the words of the CRD, which forbids it; empty if nothing does. */
    List<String> changedFrom(ClusterCidr before) {
        Map<String, Boolean> same = new LinkedHashMap<>();
        same.put("NodeSelector", Objects.equals(selector, before.selector));
        same.put("PerNodeHostBits", hostBits == before.hostBits);
        same.put("IPv4", Objects.equals(ipv4, before.ipv4));
        same.put("IPv6", Objects.equals(ipv6, before.ipv6));
        return same.entrySet().stream()
                .filter(field -> !field.getValue())
                .map(field -> field.getKey() + " cannot be changed.")
                .toList();
    }

    /** Such as {@code 10.0.0.0/16 and fd00::/112 with 8 host bits for nodes with pool in (a)}. */
    @Override
    public String toString() {
        return cidrs().map(Subnet::toString).collect(Collectors.joining(" and ")) + " with " + hostBits
                + " host bits for " + selector.map(its -> "nodes with " + its).orElse("all nodes");
    }
}

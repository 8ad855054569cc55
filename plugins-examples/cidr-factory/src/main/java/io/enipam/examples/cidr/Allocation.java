package io.enipam.examples.cidr;

import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ranges.Ip;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * The addresses given for one request. It holds all that its resource has, so that it outlives the range it came from. Its file is
 * text:
 *
 * <pre>
 * cidr-factory 1
 * token 7Qb2
 * since 2026-11-21T07:00:00Z
 * address 10.64.0.7/24 gateway 10.64.0.1
 * address fd00::7/64
 * crc32c 8a9136aa
 * </pre>
 *
 * @param token the request
 * @param grants one per family, IPv4 first
 * @param since when it was given, to the second
 */
record Allocation(RequestToken token, List<Grant> grants, Instant since) {
    /** Attribute: the request that a resource was made for. An address is given again some day; this distinguishes one lease from the next. */
    static final String TOKEN = "token";

    /** Attribute of a pair: IPv6's gateway, beside IPv4's, which is {@link Resource#GATEWAY}. */
    static final String GATEWAY_IPV6 = "gateway6";

    /** More than any allocation needs: what is longer is not one. */
    static final int MOST_BYTES = 1024;

    private static final String HEAD = "cidr-factory 1";
    private static final Pattern FILE = Pattern.compile(
            "(" + HEAD + "\ntoken (\\S+)\nsince (\\S+)\n((?:address [^\n]+\n){1,2}))crc32c ([0-9a-f]{8})\n");
    private static final Pattern GRANT = Pattern.compile("address (\\S+)/([0-9]{1,3})(?: gateway (\\S+))?");

    Allocation {
        grants = List.copyOf(grants);
    }

    /**
     * One address.
     *
     * @param prefixLength the subnet's
     */
    record Grant(Ip address, int prefixLength, Optional<Ip> gateway) {
        @Override
        public String toString() {
            return address + "/" + prefixLength;
        }
    }

    /** {@code 10.64.0.7}, or {@code 10.64.0.7_fd00::7} for a pair: also the name of its file. */
    ResourceId id() {
        return new ResourceId(grants.stream().map(g -> g.address().toString()).collect(Collectors.joining("_")));
    }

    Resource resource() {
        Map<String, String> attributes = new HashMap<>();
        attributes.put(TOKEN, token.value());
        for (Grant grant : grants) {
            grant.gateway().map(Ip::toString).ifPresent(gateway -> {
                boolean second = grant != grants.get(0);
                attributes.put(second ? GATEWAY_IPV6 : Resource.GATEWAY, gateway);
            });
        }
        List<Address> addresses = grants.stream()
                .map(g -> new Address(g.address().inet(), g.prefixLength()))
                .toList();
        return new Resource(id(), CidrFactory.KIND, addresses, "", attributes);
    }

    byte[] write() {
        StringBuilder text = new StringBuilder(HEAD)
                .append("\ntoken ")
                .append(token)
                .append("\nsince ")
                .append(since)
                .append('\n');
        for (Grant grant : grants) {
            text.append("address ").append(grant);
            grant.gateway().ifPresent(g -> text.append(" gateway ").append(g));
            text.append('\n');
        }
        String body = text.toString();
        return (body + "crc32c " + checksum(body) + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * @throws IllegalArgumentException if it is not exactly what {@link #write} made; the message says what is wrong
     */
    static Allocation read(byte[] bytes) {
        Matcher file = FILE.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
        if (!file.matches()) {
            throw new IllegalArgumentException("it is not a file of this plugin, or not all of one");
        }
        if (!checksum(file.group(1)).equals(file.group(5))) {
            throw new IllegalArgumentException("its checksum is wrong: it was changed after it was written");
        }
        List<Grant> grants = file.group(4).lines().map(Allocation::grant).toList();
        if (grants.size() == 2
                && !(grants.get(0).address().family() == Family.IPV4
                        && grants.get(1).address().family() == Family.IPV6)) {
            throw new IllegalArgumentException("its two addresses are not a pair of IPv4 and IPv6");
        }
        try {
            return new Allocation(new RequestToken(file.group(2)), grants, Instant.parse(file.group(3)));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("its time is not one", e);
        }
    }

    /** The addresses a file's name stands for; none if the name is no allocation's. */
    static Set<Ip> addressesNamed(String fileName) {
        List<Ip> addresses = new ArrayList<>();
        for (String part : fileName.split("_", -1)) {
            try {
                addresses.add(IpText.address(part));
            } catch (IllegalArgumentException foreign) {
                return Set.of();
            }
        }
        return new HashSet<>(addresses);
    }

    private static Grant grant(String line) {
        Matcher grant = GRANT.matcher(line);
        if (!grant.matches()) {
            throw new IllegalArgumentException("it has an address line of another shape");
        }
        Ip address = IpText.address(grant.group(1));
        int prefixLength = Integer.parseInt(grant.group(2));
        if (prefixLength > address.family().bits()) {
            throw new IllegalArgumentException("it has a prefix longer than its address");
        }
        return new Grant(
                address, prefixLength, Optional.ofNullable(grant.group(3)).map(IpText::address));
    }

    private static String checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return String.format("%08x", crc.getValue());
    }
}

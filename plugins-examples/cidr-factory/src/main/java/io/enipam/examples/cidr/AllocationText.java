package io.enipam.examples.cidr;

import inet.ipaddr.IPAddress;
import io.enipam.examples.cidr.Allocation.Grant;
import io.enipam.sdk.RequestToken;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * An allocation as the text of its file, for people and programs:
 *
 * <pre>
 * cidr-factory 1
 * token 7Qb2
 * since 2026-11-21T07:00:00Z
 * address 10.64.0.7/24 gateway 10.64.0.1
 * address fd00::7/64
 * crc32c 8a9136aa
 * </pre>
 */
final class AllocationText {
    /** More than any allocation needs: what is longer is not one. */
    static final int MOST_BYTES = 1024;

    private static final String HEAD = "cidr-factory 1";
    private static final Pattern FILE = Pattern.compile(
            "(" + HEAD + "\ntoken (\\S+)\nsince (\\S+)\n((?:address [^\n]+\n){1,2}))crc32c ([0-9a-f]{8})\n");
    private static final Pattern GRANT = Pattern.compile("address (\\S+)/([0-9]{1,3})(?: gateway (\\S+))?");

    private AllocationText() {}

    static byte[] write(Allocation allocation) {
        StringBuilder text = new StringBuilder(HEAD)
                .append("\ntoken ")
                .append(allocation.token())
                .append("\nsince ")
                .append(allocation.since())
                .append('\n');
        for (Grant grant : allocation.grants()) {
            text.append("address ").append(grant);
            grant.gateway().ifPresent(g -> text.append(" gateway ").append(IpText.show(g)));
            text.append('\n');
        }
        String body = text.toString();
        return (body + "crc32c " + checksum(body) + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads a file back.
     *
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
        List<Grant> grants = file.group(4).lines().map(AllocationText::grant).toList();
        if (grants.size() == 2
                && !(grants.get(0).address().isIPv4() && grants.get(1).address().isIPv6())) {
            throw new IllegalArgumentException("its two addresses are not a pair of IPv4 and IPv6");
        }
        try {
            return new Allocation(new RequestToken(file.group(2)), grants, Instant.parse(file.group(3)));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("its time is not one", e);
        }
    }

    /** The addresses a file's name stands for; none if the name is no allocation's. */
    static Set<IPAddress> addressesNamed(String fileName) {
        List<IPAddress> addresses = new ArrayList<>();
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
        IPAddress address = IpText.address(grant.group(1));
        int prefixLength = Integer.parseInt(grant.group(2));
        if (prefixLength > address.getBitCount()) {
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

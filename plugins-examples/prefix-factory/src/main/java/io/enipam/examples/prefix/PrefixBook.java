package io.enipam.examples.prefix;

import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.cloud.Eni;
import io.enipam.sdk.cloud.VSwitch;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** ENIs, their prefixes, and which addresses are out. For one thread; does no I/O. */
final class PrefixBook {
    /** Addresses of a /28. */
    static final int SIZE = 16;

    /** Prefixes that one call of the cloud assigns or takes away. */
    static final int MOST_A_CALL = 10;

    /** The attribute of a resource that names its prefix. */
    static final String PREFIX = "prefix";

    /** A description older than this knows of a change; descriptions of the cloud lag by seconds. */
    private static final Duration SETTLED = Duration.ofSeconds(30);

    /** By which token an address is out, and of which prefix. */
    record Lent(String token, String cidr) {}

    /** A block on an ENI. */
    static final class Prefix {
        final String cidr;
        final Nic nic;
        final List<String> addresses;
        private final Instant since;
        /** It is being given back, or that may have worked: none of its addresses is lent. */
        boolean leaving;

        int lent;

        Prefix(String cidr, Nic nic, Instant since) {
            this.cidr = cidr;
            this.nic = nic;
            this.since = since;
            this.addresses = addressesOf(cidr);
        }
    }

    /** An ENI of this factory that is in use. */
    static final class Nic {
        final String id;
        final VSwitch home;
        private final String mac;
        private final Instant since;
        final Map<String, Prefix> prefixes = new TreeMap<>();
        /** The cloud takes no more on it, whatever the instance type says. */
        boolean full;

        Nic(Eni eni, VSwitch home, Instant since) {
            this.id = eni.id();
            this.mac = eni.mac();
            this.home = home;
            this.since = since;
        }
    }

    private final Map<String, Nic> nics = new TreeMap<>();
    private final Map<String, Lent> lent = new HashMap<>();
    private final Map<String, String> byToken = new HashMap<>();
    /** What was given back lately: an old description may show it still. */
    private final Map<String, Instant> gone = new HashMap<>();

    /**
     * Takes over what the cloud has described: an ENI that is not there any more goes, with its prefixes, unless it is so new that
     * the description may be older.
     *
     * @param found ENIs that are in use
     * @param homes their vSwitches by id
     */
    void read(List<Eni> found, Map<String, VSwitch> homes, Instant now) {
        gone.values().removeIf(at -> settled(at, now));
        Map<String, Eni> there = new HashMap<>();
        found.forEach(eni -> there.put(eni.id(), eni));
        nics.values().removeIf(nic -> !there.containsKey(nic.id) && settled(nic.since, now));
        for (Eni eni : found) {
            if (gone.containsKey(eni.id())) {
                continue;
            }
            Nic nic = add(eni, Optional.ofNullable(homes.get(eni.vSwitch())).orElseThrow(), now);
            nic.full = false;
            List<String> shown = eni.addresses().prefixes();
            nic.prefixes.values().removeIf(prefix -> !shown.contains(prefix.cidr) && settled(prefix.since, now));
            shown.stream().filter(cidr -> !gone.containsKey(cidr)).forEach(cidr -> add(nic, cidr, now));
        }
    }

    private static boolean settled(Instant at, Instant now) {
        return Duration.between(at, now).compareTo(SETTLED) > 0;
    }

    Nic add(Eni eni, VSwitch home, Instant now) {
        return nics.computeIfAbsent(eni.id(), id -> new Nic(eni, home, now));
    }

    void add(Nic nic, String cidr, Instant now) {
        gone.remove(cidr);
        nic.prefixes.computeIfAbsent(cidr, fresh -> {
            Prefix prefix = new Prefix(cidr, nic, now);
            prefix.lent =
                    (int) prefix.addresses.stream().filter(lent::containsKey).count();
            return prefix;
        });
    }

    void remove(Prefix prefix, Instant now) {
        prefix.nic.prefixes.remove(prefix.cidr);
        gone.put(prefix.cidr, now);
    }

    void remove(Nic nic, Instant now) {
        nics.remove(nic.id);
        gone.put(nic.id, now);
    }

    List<Nic> nics() {
        return List.copyOf(nics.values());
    }

    List<Prefix> prefixes() {
        return nics.values().stream()
                .flatMap(nic -> nic.prefixes.values().stream())
                .toList();
    }

    /** The address that a token has got. */
    Optional<String> ofToken(String token) {
        return Optional.ofNullable(byToken.get(token));
    }

    /** Notes an address that the table has. */
    void restore(String address, String token, String cidr) {
        if (lent.put(address, new Lent(token, cidr)) == null) {
            byToken.put(token, address);
        }
    }

    /** Lends an address of the fullest prefix that has one, so that pods gather on few and the others run empty. */
    Optional<String> lend(String token) {
        Optional<Prefix> fullest = prefixes().stream()
                .filter(prefix -> !prefix.leaving && prefix.lent < SIZE)
                .max(Comparator.comparingInt(prefix -> prefix.lent));
        return fullest.flatMap(prefix -> prefix.addresses.stream()
                .filter(address -> !lent.containsKey(address))
                .findFirst()
                .map(address -> {
                    lent.put(address, new Lent(token, prefix.cidr));
                    byToken.put(token, address);
                    prefix.lent++;
                    return address;
                }));
    }

    /** Takes an address back; no effect if it is not out. */
    void takeBack(String address) {
        Lent was = lent.remove(address);
        if (was != null) {
            byToken.remove(was.token(), address);
            find(address).ifPresent(prefix -> prefix.lent--);
        }
    }

    Optional<Lent> lent(String address) {
        return Optional.ofNullable(lent.get(address));
    }

    private Optional<Prefix> find(String address) {
        return prefixes().stream()
                .filter(prefix -> prefix.addresses.contains(address))
                .findFirst();
    }

    /** The addresses that are out and whose prefixes are there. */
    List<Resource> resources() {
        List<Resource> all = new ArrayList<>();
        for (Prefix prefix : prefixes()) {
            prefix.addresses.stream().filter(lent::containsKey).forEach(address -> all.add(resource(address, prefix)));
        }
        return all;
    }

    /** An address that is out; empty if its prefix is not there. */
    Optional<Resource> resource(String address) {
        return find(address).map(prefix -> resource(address, prefix));
    }

    private static Resource resource(String address, Prefix prefix) {
        VSwitch home = prefix.nic.home;
        return new Resource(
                new ResourceId(prefix.nic.id + "/" + address),
                ResourceKind.ENI_IP,
                List.of(new Address(Address.literal(address), home.prefixLength())),
                // it goes away with its prefix
                prefix.cidr,
                Map.of(
                        Resource.MAC,
                        prefix.nic.mac,
                        Resource.GATEWAY,
                        home.gateway().getHostAddress(),
                        Resource.VSWITCH,
                        home.id(),
                        PREFIX,
                        prefix.cidr,
                        "eni",
                        prefix.nic.id));
    }

    private static List<String> addressesOf(String cidr) {
        byte[] first = Address.literal(cidr.substring(0, cidr.indexOf('/'))).getAddress();
        return IntStream.range(0, SIZE)
                .mapToObj(i -> {
                    byte[] bytes = first.clone();
                    // a /28 ends within its last byte
                    bytes[3] = (byte) (bytes[3] + i);
                    return text(bytes);
                })
                .toList();
    }

    private static String text(byte[] address) {
        try {
            return InetAddress.getByAddress(address).getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}

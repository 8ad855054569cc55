package io.enipam.examples.swarm.docker;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.pools.DefaultPools;
import io.enipam.examples.swarm.pools.DefaultPools.Base;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Family;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import io.enipam.sdk.ranges.Subnet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The driver's settings, read.
 *
 * @param socket on which Docker finds the driver; its file's name is the driver's
 * @param defaults for networks that name none
 * @param macs whether Docker is to say the MAC address of each container
 * @param apis sockets of the API of each dockerd that uses the driver; none if they are not to be asked
 */
record Configured(Path socket, DefaultPools defaults, List<Named> named, boolean macs, List<Path> apis) {
    private static final String PATH = "/[^\\p{Cntrl}]{1,106}";
    private static final String SUBNET = "[0-9a-fA-F:.]{2,45}/[0-9]{1,3}";

    private static final Setting<String> SOCKET = Setting.text(
                    "docker_socket", "an absolute path", PATH, "/run/docker/plugins/enipam.sock")
            .doc("Where Docker finds the IPAM driver; the file's name without .sock is the driver's.");

    private static final Setting<List<String>> DEFAULT_POOLS = Setting.texts(
                    "docker_default_pools",
                    "as dockerd's --default-address-pool, such as base=10.64.0.0/12,size=24",
                    "base=" + SUBNET + ",size=[0-9]{1,3}",
                    64,
                    List.of(
                            "base=172.17.0.0/16,size=16",
                            "base=172.18.0.0/15,size=16",
                            "base=172.20.0.0/14,size=16",
                            "base=172.24.0.0/14,size=16",
                            "base=172.28.0.0/14,size=16",
                            "base=192.168.0.0/16,size=20"))
            .doc("The subnets that networks without one get, in their order.");

    private static final Setting<String> NAME = Setting.text("name", "a pool's name", "[a-z0-9][a-z0-9_.-]{0,62}", "")
            .doc("As --ipam-opt pool=NAME.");
    private static final Setting<String> OF_SUBNET =
            Setting.text("subnet", "a subnet", SUBNET, "").doc("The pool's subnet.");
    private static final Setting<String> OF_RANGE = Setting.text("range", "a subnet", SUBNET + "|", "")
            .doc("The part of it of which containers get addresses; without it all of it.");
    private static final Setting<List<Settings>> NAMED = Setting.records(
                    "docker_pools", 256, List.of(NAME, OF_SUBNET, OF_RANGE))
            .doc(
                    "Named pools, which networks of several dockerds share; one name may have an IPv4 and an IPv6 subnet.");

    private static final Setting<Boolean> MACS = Setting.flag("docker_require_mac", false)
            .doc(
                    "Whether Docker says the MAC address of each container: what has none is auxiliary then. Not for ipvlan.");

    private static final Setting<List<String>> APIS = Setting.texts(
                    "docker_api", "absolute paths such as /run/docker.sock", PATH, 16, List.of())
            .doc("The API sockets of all dockerds that use the driver: doctor asks them which containers there are.");

    /** A pool that operators named. */
    record Named(String name, Subnet subnet, Optional<Subnet> range) {}

    Configured {
        named = List.copyOf(named);
        apis = List.copyOf(apis);
    }

    static List<Setting<?>> schema() {
        return List.of(SOCKET, DEFAULT_POOLS, NAMED, MACS, APIS);
    }

    /** @throws FactoryException naming every problem, one a line */
    static Configured of(Settings settings) {
        List<String> problems = new ArrayList<>();
        List<Base> bases = new ArrayList<>();
        for (String text : settings.get(DEFAULT_POOLS)) {
            try {
                bases.add(base(text));
            } catch (IllegalArgumentException | Refused e) {
                problems.add("docker_default_pools: " + text + ": " + e.getMessage());
            }
        }
        List<Named> named = new ArrayList<>();
        for (Settings written : settings.get(NAMED)) {
            try {
                named.add(named(written, named));
            } catch (IllegalArgumentException e) {
                problems.add("docker_pools: " + written.get(NAME) + ": " + e.getMessage());
            }
        }
        if (!problems.isEmpty()) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, String.join("\n", problems));
        }
        return new Configured(
                Path.of(settings.get(SOCKET)),
                new DefaultPools(bases),
                named,
                settings.get(MACS),
                settings.get(APIS).stream().map(Path::of).toList());
    }

    private static Base base(String text) {
        String[] parts = text.split("[=,]");
        return new Base(whole(parts[1]), Integer.parseInt(parts[3]));
    }

    private static Named named(Settings written, List<Named> before) {
        String name = written.get(NAME);
        if (name.isEmpty() || written.get(OF_SUBNET).isEmpty()) {
            throw new IllegalArgumentException("a pool has a name and a subnet");
        }
        Subnet subnet = whole(written.get(OF_SUBNET));
        Optional<Subnet> range = Optional.of(written.get(OF_RANGE))
                .filter(text -> !text.isEmpty())
                .map(Configured::whole);
        if (range.filter(part -> !subnet.contains(part.first()) || !subnet.contains(part.last()))
                .isPresent()) {
            throw new IllegalArgumentException("the range " + range.get() + " is not in " + subnet);
        }
        for (Named other : before) {
            if (other.subnet().overlaps(subnet)) {
                throw new IllegalArgumentException(subnet + " overlaps " + other.subnet() + " of pool " + other.name());
            }
            if (other.name().equals(name) && other.subnet().family() == subnet.family()) {
                throw new IllegalArgumentException("it has two subnets of one family");
            }
        }
        return new Named(name, subnet, range);
    }

    /** A subnet without host bits. */
    private static Subnet whole(String text) {
        Subnet subnet = Subnet.parse(text);
        if (!subnet.network().equals(subnet)) {
            throw new IllegalArgumentException(text + " has host bits set; the subnet is " + subnet.network());
        }
        return subnet;
    }

    Optional<Named> named(String name, Family family) {
        return named.stream()
                .filter(pool -> pool.name().equals(name) && pool.subnet().family() == family)
                .findFirst();
    }

    /** What Docker's users write behind {@code --ipam-driver}. */
    String driver() {
        return String.valueOf(socket.getFileName()).replaceFirst("\\.sock$", "");
    }
}

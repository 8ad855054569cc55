package io.enipam.datapath.lab;

import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.KernelDatapath.DatapathConfig;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.sdk.Address;
import io.enipam.sdk.Family;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A node with an ENI: this process's namespace is the node, a veth stands for the ENI, and its other end is in a namespace that
 * stands for the VPC and has the vSwitch's gateway. Everything is removed at the end.
 */
public final class Lab implements AutoCloseable {
    public static final String GATEWAY = "10.9.0.253";
    public static final String GATEWAY6 = "fd09::fd";
    /** What pods' resources say of their IPv6 gateway. */
    public static String eni6 = GATEWAY6;

    public static final String NODE = "10.8.0.7";
    public static final String NODE6 = "fd08::7";
    /** By which way this run's batches go: the build runs all that change the kernel once with the helper and once without. */
    public static final Optional<Path> NETLINK =
            Optional.of(Path.of(System.getProperty("enipam.netlink", "none"))).filter(Files::isExecutable);

    private static final AtomicInteger SERIAL = new AtomicInteger();

    private final String unique = Long.toString(ProcessHandle.current().pid(), 36) + "x" + SERIAL.incrementAndGet();
    private final List<String> namespaces = new ArrayList<>();
    private final Path records;
    public final String eni = "ent" + SERIAL.get();
    public final String mac = String.format("00:16:3e:00:00:%02x", SERIAL.get());
    public List<String> services = new ArrayList<>();
    public KernelDatapath datapath;

    public Lab(Path records) {
        this.records = records;
        try {
            eni(eni, mac, GATEWAY, GATEWAY6);
        } catch (AssertionError e) {
            removeAll();
            throw e;
        }
        datapath = open();
    }

    /** Makes one more ENI. */
    public void eni(String name, String hardware, String gateway, String gateway6) {
        String vpc = namespace("vpc" + name);
        String n = " && ip -n " + vpc;
        Sh.run("ip link add " + name + " address " + hardware + " type veth peer name gw netns " + vpc
                + " && ip link set " + name + " up"
                + n + " addr add " + gateway + "/32 dev gw"
                + n + " addr add " + gateway6 + "/128 dev gw nodad"
                + n + " link set gw up"
                + n + " neigh replace " + NODE + " lladdr " + hardware + " dev gw nud permanent"
                + n + " neigh replace " + NODE6 + " lladdr " + hardware + " dev gw nud permanent"
                + n + " route add " + NODE + "/32 dev gw"
                + n + " route add 10.9.0.0/24 via " + NODE + " dev gw"
                + n + " -6 route add " + NODE6 + "/128 dev gw"
                + n + " -6 route add fd09::/64 via " + NODE6 + " dev gw");
    }

    /** Opens the datapath anew on the same records. */
    public KernelDatapath open() {
        return open(records);
    }

    /** Opens the datapath on other records. */
    public KernelDatapath open(Path records) {
        return open(records, NETLINK);
    }

    /** Opens the datapath on other records, with a helper or without. */
    public KernelDatapath open(Path records, Optional<Path> netlink) {
        NodeNetwork node = new NodeNetwork() {
            @Override
            public Optional<InetAddress> address(Family family) {
                return Optional.of(Address.literal(family == Family.IPV4 ? NODE : NODE6));
            }

            @Override
            public List<String> serviceCidrs() {
                return services;
            }
        };
        return KernelDatapath.open(new DatapathConfig(records, node, Sysctls.USUAL, netlink));
    }

    /** What a daemon sees that was started again. */
    public void restart() {
        datapath.close();
        datapath = open();
    }

    public Path records() {
        return records;
    }

    /** A namespace with a unique name. */
    public String namespace(String name) {
        String whole = "enipam-" + unique + "-" + name;
        Sh.run("ip netns add " + whole);
        namespaces.add(whole);
        return whole;
    }

    public void without(String namespace) {
        Sh.run("ip netns del " + namespace);
        namespaces.remove(namespace);
    }

    public static String path(String namespace) {
        return "/var/run/netns/" + namespace;
    }

    /** A sandbox's key. */
    public static OwnerKey owner(String container) {
        return new OwnerKey("enipam", container, "eth0");
    }

    /** A pod with addresses of the first ENI, connected into a namespace. */
    public DatapathRequest pod(String container, String namespace, String... addresses) {
        return pod(container, LinkRequest.into(path(namespace)), PodNetworkSpec.NONE, mac, addresses);
    }

    /** Any pod. */
    public static DatapathRequest pod(
            String container, LinkRequest link, PodNetworkSpec wishes, String mac, String... addresses) {
        Map<String, String> attributes =
                new HashMap<>(Map.of(Resource.MAC, mac, Resource.GATEWAY, GATEWAY, "gateway6", eni6));
        List<Address> parsed = new ArrayList<>();
        for (String address : addresses) {
            parsed.add(Address.parse(address));
        }
        Resource resource = new Resource(
                new ResourceId("eni-1/" + parsed.get(0).host()), ResourceKind.ENI_IP, parsed, "eni-1", attributes);
        return pod(container, link, wishes, resource);
    }

    /** Any pod, by whatever resource. */
    public static DatapathRequest pod(String container, LinkRequest link, PodNetworkSpec wishes, Resource resource) {
        Lease lease = new Lease(
                owner(container),
                new PodRef("default", "pod-" + container),
                "uid-" + container,
                resource,
                Duration.ZERO,
                Instant.EPOCH);
        return new DatapathRequest(lease, link, wishes);
    }

    /** Waits for it, and throws what it failed with. */
    public static <T> T done(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** All that the node's namespace has of rules, routes, links and queues, to be compared. */
    public static String everything() {
        return Sh.run(
                "ip -br link 2>/dev/null | sed 's/ .*//' | sort; ip rule; ip -6 rule; ip -4 route show table all | sed 's/ linkdown//'; ip"
                        + " -6 route show table all | grep -v fe80 | grep -v ff00 | sed 's/ linkdown//'; ip -4 -br addr; tc qdisc show | grep -v"
                        + " noqueue | sed 's/tbf [0-9a-f]*:/tbf/'; true");
    }

    /** The same, in an order that does not depend on which link came first. */
    public static List<String> everythingSorted() {
        // ip complains of a namespace that is ending, and goes on
        return everything()
                .lines()
                .filter(line -> !line.startsWith("Error: Peer netns"))
                .map(String::strip)
                .sorted()
                .toList();
    }

    @Override
    public void close() {
        datapath.close();
        removeAll();
    }

    private void removeAll() {
        Sh.tried("ip link del " + eni);
        for (String namespace : List.copyOf(namespaces)) {
            Sh.tried("ip netns del " + namespace);
        }
    }
}

package io.enipam.examples.swarm.networks;

import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.model.Attachment;
import io.enipam.examples.swarm.model.AttachmentSpec;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Endpoint.VirtualIp;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Network.Driver;
import io.enipam.examples.swarm.model.Network.Ipam;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.pools.AddressPool;
import io.enipam.examples.swarm.pools.PoolSource;
import io.enipam.examples.swarm.pools.Turns;
import io.enipam.sdk.Family;
import io.enipam.sdk.ranges.Ip;
import io.enipam.sdk.ranges.Subnet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Networks, and addresses on them. What an operation returns is what it was given with what is allocated in it; one that fails changes
 * nothing, but whose turn it is. To allocate an object that has addresses already takes these: so a row is restored. Not thread-safe.
 */
public final class NetworkAllocator {
    private static final String NO_NETWORK = "networkallocator: could not find local network state";
    private static final String NO_SUPPORT = "network support is unavailable";
    /** The driver of an ingress network without addresses. */
    private static final String INERT = "inert";

    /** By which addresses of nodes, which need no other name, are held. */
    private static final String NODE = "node";

    private final Map<String, PoolSource> sources;
    private final Vxlans vxlans;
    private final Map<String, Known> networks = new HashMap<>();
    private Optional<Network> ingress = Optional.empty();
    /** Services that have virtual IPs. */
    private final Set<String> withVirtualIps = new HashSet<>();

    /** An allocated network, and who holds which address of it, each as {@code ADDRESS/LENGTH}. */
    private record Known(Network network, List<AddressPool> pools, List<Integer> vxlans, Map<String, String> holders) {}

    /** @param sources by the names of IPAM drivers; {@code default} is for networks that name none */
    public NetworkAllocator(Map<String, PoolSource> sources) {
        this(sources, new Turns());
    }

    /**
     * One without network support, like swarmkit's {@code Inert}: an ingress network has no addresses, and no other network can be had, so
     * that services and tasks without networks alone are allocated, with their ports.
     */
    public static NetworkAllocator inert(Turns turns) {
        return new NetworkAllocator(Map.of(), turns);
    }

    /** @param turns those of the sources */
    public NetworkAllocator(Map<String, PoolSource> sources, Turns turns) {
        this.sources = Map.copyOf(sources);
        this.vxlans = new Vxlans(turns);
    }

    /** Goes on where another one with the same sources is: with whose turn it is. */
    public void turnsOf(NetworkAllocator before) {
        vxlans.turnsOf(before.vxlans);
        sources.forEach((name, source) -> source.turnsOf(before.sources.getOrDefault(name, source)));
    }

    /**
     * @throws Refused if the network is allocated, its driver is not known, or it cannot have its subnets, gateways or VXLANs
     */
    public Network allocate(Network network) {
        String id = network.id();
        if (networks.containsKey(id)) {
            throw Refused.conflict("network " + id + " already allocated");
        }
        if (sources.isEmpty()) {
            if (!network.isIngress()) {
                throw Refused.conflict(NO_SUPPORT);
            }
            return known(network.with(Ipam.NONE, new Driver(INERT, Map.of())), List.of(), List.of());
        }
        String driver = network.spec().driver().name();
        if (Network.NODE_LOCAL.contains(driver)) {
            return known(network.with(Ipam.NONE, new Driver(driver, Map.of())), List.of(), List.of());
        }
        if (!driver.isEmpty() && !driver.equals(Network.OVERLAY)) {
            throw Refused.invalid("could not resolve network driver " + driver);
        }
        List<AddressPool> pools = new ArrayList<>();
        List<Network.Subnet> subnets;
        try {
            subnets = subnets(network, pools);
        } catch (Refused e) {
            release(network, pools);
            throw e.during("failed allocating pools and gateway IP for network " + id);
        }
        try {
            Map<String, String> options = new HashMap<>(network.spec().driver().options());
            options.putAll(network.driver().options());
            List<Integer> numbers = vxlans.take(
                    options,
                    pools.stream()
                            .map(AddressPool::subnet)
                            .filter(subnet -> subnet.address().family() == Family.IPV4)
                            .map(Subnet::toString)
                            .toList());
            options.put(Vxlans.OPTION, Vxlans.text(numbers));
            Ipam ipam = new Ipam(network.spec().ipam().driver(), subnets);
            return known(network.with(ipam, new Driver(Network.OVERLAY, options)), pools, numbers);
        } catch (Refused e) {
            release(network, pools);
            throw e.during("failed while allocating driver state for network " + id);
        }
    }

    private Network known(Network now, List<AddressPool> pools, List<Integer> numbers) {
        networks.put(now.id(), new Known(now, List.copyOf(pools), numbers, new HashMap<>()));
        ingress = ingress.or(() -> Optional.of(now).filter(Network::isIngress));
        return now;
    }

    /** @param pools gets what is taken, also if this fails */
    private List<Network.Subnet> subnets(Network network, List<AddressPool> pools) {
        Ipam wanted = network.ipam().subnets().isEmpty() ? network.spec().ipam() : network.ipam();
        PoolSource source = source(network);
        List<Network.Subnet> result = new ArrayList<>();
        List<Network.Subnet> asked =
                wanted.subnets().isEmpty() ? List.of(new Network.Subnet("", "", "")) : wanted.subnets();
        for (Network.Subnet each : asked) {
            AddressPool pool = source.request(
                    each.subnet(), each.range(), network.spec().ipam().driver().options());
            pools.add(pool);
            String gateway = gateway(pool, each.gateway());
            String subnet = each.subnet().isEmpty() ? pool.subnet().toString() : each.subnet();
            result.add(new Network.Subnet(subnet, each.range(), gateway));
        }
        return result;
    }

    private static String gateway(AddressPool pool, String asked) {
        if (asked.isEmpty()) {
            return pool.takeNext()
                    .orElseThrow(() -> Refused.exhausted("no available addresses on this pool"))
                    .toString();
        }
        pool.take(parse(asked));
        return asked;
    }

    private PoolSource source(Network network) {
        String name = network.spec().ipam().driver().name();
        return Optional.ofNullable(sources.get(name.isEmpty() ? "default" : name))
                .orElseThrow(() -> Refused.invalid("could not resolve IPAM driver " + name));
    }

    private void release(Network network, List<AddressPool> pools) {
        pools.forEach(pool -> source(network).release(pool));
    }

    /** @throws Refused if it is not allocated */
    public void deallocate(Network network) {
        Known known = Optional.ofNullable(networks.remove(network.id()))
                .orElseThrow(() -> Refused.notFound("could not get networker state for network " + network.id()));
        known.vxlans.forEach(vxlans::release);
        release(known.network, known.pools);
        ingress = ingress.filter(its -> !its.id().equals(network.id()));
    }

    /** A network as it is allocated; empty if it is not. */
    public Optional<Network> network(String id) {
        return Optional.ofNullable(networks.get(id)).map(Known::network);
    }

    /** The ingress network that is allocated. */
    public Optional<Network> ingress() {
        return ingress;
    }

    /**
     * Gives a service a virtual IP on each of its networks, and on the ingress network if it has an entry for it and needs it. What it has
     * there already stays; what it has elsewhere is given back. In mode DNSRR it has none.
     *
     * @throws Refused if a network is not allocated, or has no address left
     */
    public Service allocateService(Service service) {
        Endpoint endpoint = service.endpoint().of(service.spec().endpoint());
        boolean none = service.spec().endpoint().mode() == Endpoint.Mode.DNSRR;
        Predicate<String> wanted = none ? network -> false : network -> isWanted(service, network);
        List<VirtualIp> asked = new ArrayList<>(endpoint.virtualIps().stream()
                .filter(vip -> wanted.test(vip.network()))
                .toList());
        if (!none) {
            service.spec().attached().stream()
                    .map(AttachmentSpec::target)
                    .filter(network ->
                            asked.stream().noneMatch(vip -> vip.network().equals(network)))
                    .distinct()
                    .forEach(network -> asked.add(new VirtualIp(network, "")));
        }
        List<VirtualIp> now = virtualIps(service.id(), asked);
        endpoint.virtualIps().stream()
                .filter(vip -> !wanted.test(vip.network()))
                .forEach(vip -> release(service.id(), vip));
        mark(service.id(), !now.isEmpty());
        return service.with(endpoint.withVirtualIps(now));
    }

    private boolean isWanted(Service service, String network) {
        return (isIngress(network) && service.spec().endpoint().needsIngress()) || isListed(service, network);
    }

    private static boolean isListed(Service service, String network) {
        return service.spec().attached().stream().anyMatch(each -> each.target().equals(network));
    }

    private boolean isIngress(String network) {
        return network(network).filter(Network::isIngress).isPresent();
    }

    private void mark(String service, boolean has) {
        if (has) {
            withVirtualIps.add(service);
        } else {
            withVirtualIps.remove(service);
        }
    }

    private List<VirtualIp> virtualIps(String service, List<VirtualIp> asked) {
        List<VirtualIp> now = new ArrayList<>();
        List<VirtualIp> taken = new ArrayList<>();
        try {
            for (VirtualIp each : asked) {
                Known known = allocated(each.network());
                if (!known.network.isOverlay()) {
                    now.add(new VirtualIp(each.network(), ""));
                } else if (!each.address().isEmpty() && service.equals(known.holders.get(each.address()))) {
                    now.add(each);
                } else {
                    VirtualIp vip = new VirtualIp(each.network(), virtualIp(known, service, each.address()));
                    taken.add(vip);
                    now.add(vip);
                }
            }
            return now;
        } catch (Refused e) {
            taken.forEach(vip -> release(service, vip));
            throw e;
        }
    }

    private Known allocated(String network) {
        return Optional.ofNullable(networks.get(network))
                .orElseThrow(() -> Refused.conflict(sources.isEmpty() ? NO_SUPPORT : NO_NETWORK));
    }

    private static String virtualIp(Known known, String service, String address) {
        try {
            return take(known, service, address);
        } catch (Refused e) {
            throw e.code() == Refused.Code.RESOURCE_EXHAUSTED
                    ? Refused.exhausted("could not find an available IP while allocating VIP")
                    : e.during("could not allocate VIP from IPAM");
        }
    }

    /** Takes the virtual IPs that a service's row has. */
    public void restoreService(Service service) {
        List<VirtualIp> has = service.endpoint().virtualIps();
        virtualIps(
                service.id(),
                has.stream().filter(vip -> !vip.address().isEmpty()).toList());
        mark(service.id(), !has.isEmpty());
    }

    /** Gives back what a service has, and returns it without virtual IPs. Has no effect on addresses that others have. */
    public Service deallocateService(Service service) {
        service.endpoint().virtualIps().forEach(vip -> release(service.id(), vip));
        withVirtualIps.remove(service.id());
        return service.with(service.endpoint().withVirtualIps(List.of()));
    }

    /** Whether a service has the virtual IPs that it needs, and no other ones. */
    public boolean isServiceAllocated(Service service) {
        Endpoint endpoint = service.endpoint();
        boolean has = withVirtualIps.contains(service.id());
        if (service.spec().endpoint().mode() == Endpoint.Mode.DNSRR) {
            return !has && endpoint.virtualIps().isEmpty();
        }
        boolean complete = service.spec().attached().stream()
                .allMatch(each -> has && endpoint.on(each.target()).isPresent());
        return complete
                && endpoint.virtualIps().stream()
                        .allMatch(vip -> isListed(service, vip.network())
                                || (has
                                        && isIngress(vip.network())
                                        && service.spec().endpoint().needsIngress()));
    }

    private void release(String holder, VirtualIp vip) {
        Optional.ofNullable(networks.get(vip.network())).ifPresent(known -> release(known, holder, vip.address()));
    }

    /**
     * Gives a task one address on each network of its attachments.
     *
     * @throws Refused if one cannot be had
     */
    public Task allocateTask(Task task) {
        List<Attachment> now = new ArrayList<>();
        try {
            for (Attachment attachment : task.networks()) {
                now.add(allocate(attachment, task.id()));
            }
        } catch (Refused e) {
            String network = task.networks().get(now.size()).network().id();
            now.forEach(attachment -> deallocate(attachment, task.id()));
            throw e.during("failed to allocate network IP for task " + task.id() + " network " + network);
        }
        return task.with(now, task.endpoint());
    }

    /** Takes the addresses that a task's row has. */
    public void restoreTask(Task task) {
        List<Attachment> has = task.networks().stream()
                .filter(attachment -> !attachment.addresses().isEmpty())
                .toList();
        allocateTask(task.with(has, task.endpoint()));
    }

    /** Gives back what a task has. Has no effect on addresses that others have. */
    public void deallocateTask(Task task) {
        task.networks().forEach(attachment -> deallocate(attachment, task.id()));
    }

    /** Gives a node's load balancer an address; {@link Refused} as for tasks. */
    public Attachment allocateAttachment(Attachment attachment) {
        return allocate(attachment, NODE);
    }

    public void deallocateAttachment(Attachment attachment) {
        deallocate(attachment, NODE);
    }

    private Attachment allocate(Attachment attachment, String holder) {
        Known known = allocated(attachment.network().id());
        if (!known.network.isOverlay()) {
            return attachment;
        }
        List<String> asked = attachment.addresses().isEmpty() ? List.of("") : attachment.addresses();
        for (int at = 0; at < asked.size(); at++) {
            try {
                List<String> addresses = new ArrayList<>(asked);
                addresses.set(at, take(known, holder, asked.get(at)));
                return attachment.with(addresses);
            } catch (Refused e) {
                if (e.code() == Refused.Code.FAILED_PRECONDITION) {
                    throw e.during("could not allocate IP from IPAM");
                }
                if (e.code() != Refused.Code.RESOURCE_EXHAUSTED) {
                    throw e;
                }
            }
        }
        throw Refused.exhausted("could not find an available IP");
    }

    private void deallocate(Attachment attachment, String holder) {
        Optional.ofNullable(networks.get(attachment.network().id()))
                .ifPresent(known -> attachment.addresses().forEach(text -> release(known, holder, text)));
    }

    /**
     * Takes an address of one of a network's subnets, which are tried in their order.
     *
     * @param asked as {@code ADDRESS} or {@code ADDRESS/LENGTH}; empty for any
     */
    private static String take(Known known, String holder, String asked) {
        Optional<Ip> address = asked.isEmpty() ? Optional.empty() : Optional.of(parse(asked));
        for (AddressPool pool : known.pools) {
            Optional<Ip> found = address.isEmpty() ? pool.takeNext() : address.filter(pool.subnet()::contains);
            if (found.isPresent()) {
                address.ifPresent(pool::take);
                String text = pool.text(found.get());
                known.holders.put(text, holder);
                return text;
            }
        }
        throw Refused.exhausted("could not find an available IP");
    }

    private static Ip parse(String text) {
        try {
            return text.contains("/") ? Subnet.parse(text).address() : Ip.parse(text);
        } catch (IllegalArgumentException e) {
            throw Refused.invalid("could not parse address string " + text + ": invalid CIDR address: " + text);
        }
    }

    private static void release(Known known, String holder, String text) {
        if (known.holders.remove(text, holder)) {
            Ip address = Subnet.parse(text).address();
            known.pools.forEach(pool -> pool.release(address));
        }
    }

    /** How many subnets, addresses and VXLANs are held, and services have virtual IPs: for invariants. */
    public List<Integer> held() {
        return List.of(
                networks.values().stream().mapToInt(known -> known.pools.size()).sum(),
                networks.values().stream()
                        .mapToInt(known -> known.holders.size())
                        .sum(),
                vxlans.taken(),
                withVirtualIps.size());
    }
}

package io.enipam.emulator.dataplane;

import inet.ipaddr.IPAddress;
import inet.ipaddr.IPAddressString;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.cloud.CloudStateStore.CloudStateListener;
import io.enipam.emulator.cloud.EmulatorException;
import io.enipam.emulator.dataplane.IpTool.IpException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The network of a cloud: one thread does to the kernel what the state says of attached ENIs and their addresses, in order. An ENI
 * whose link cannot be made is logged and tried again; a link that was lost with a pod's namespace comes
 * back to the instance, as a real NIC does. Thread-safe.
 */
public final class Dataplane implements CloudStateListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Dataplane.class);
    /** Interval of its own checks: for states that have passed, links that were lost, and ports to try again. */
    private static final Duration TICK = Duration.ofMillis(200);
    /** How long an API call waits for the kernel. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Namespaces namespaces;
    private final Map<String, String> routes;
    private final PortReconciler ports;
    private final Object monitor = new Object();
    private Supplier<CloudState> states;
    private long asked;
    private long served;
    private boolean closed;
    private final Thread worker;

    private Dataplane(Namespaces namespaces, Map<String, String> routes, PortReconciler ports, CloudState initial) {
        this.namespaces = namespaces;
        this.routes = routes;
        this.ports = ports;
        this.states = () -> initial;
        this.worker = new Thread(this::work, "cloud-dataplane");
        worker.setDaemon(true);
    }

    /**
     * Makes the namespaces and the links of that state, and leads every instance to the addresses of the services. This
     * process must be in the VPC's namespace. Throws EmulatorException if that cannot be done; nothing is left of it.
     */
    public static Dataplane open(DataplaneSpec spec, List<InetAddress> services, CloudState initial) {
        IpTool ip = new IpTool();
        Namespaces namespaces = new Namespaces(spec.prefix(), ip);
        namespaces.requireInside();
        spec.routes().forEach((cidr, to) -> requireInstance(cidr, to, initial));
        try {
            namespaces.setUpVpc(initial.layout().vswitches(), services);
            initial.layout().instances().forEach(instance -> namespaces.make(instance.hostname()));
            PortReconciler ports = new PortReconciler(ip, namespaces);
            Dataplane dataplane = new Dataplane(namespaces, spec.routes(), ports, initial);
            ports.reconcile(Port.desired(initial, spec.routes()));
            dataplane.worker.start();
            return dataplane;
        } catch (EmulatorException failed) {
            namespaces.removeAll().forEach(LOG::warn);
            throw failed;
        }
    }

    private static void requireInstance(String cidr, String to, CloudState state) {
        if (state.layout().instances().stream().noneMatch(one -> to.equals(one.id()) || to.equals(one.hostname()))) {
            throw new EmulatorException(
                    "the route to " + cidr + " leads to " + to + ", which is no instance; there are "
                            + state.layout().instances().stream()
                                    .map(Instance::hostname)
                                    .collect(Collectors.joining(", ")),
                    null);
        }
    }

    public void follow(Supplier<CloudState> newStates) {
        synchronized (monitor) {
            states = newStates;
        }
        changed();
    }

    public String vpc() {
        return namespaces.vpc();
    }

    /** Removes the recorded namespaces of a prefix: a start has failed before it could do so. */
    public static void abandon(String prefix) {
        new Namespaces(prefix, new IpTool())
                .removeRecorded()
                .forEach(problem -> LOG.warn("a namespace is left: {}", problem));
    }

    public String namespace(String host) {
        return namespaces.node(host);
    }

    @Override
    public void changed() {
        synchronized (monitor) {
            asked++;
            monitor.notifyAll();
        }
    }

    @Override
    public void await() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        synchronized (monitor) {
            long ticket = ++asked;
            monitor.notifyAll();
            while (served < ticket && !closed) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    LOG.warn(
                            "the kernel has not followed a call within {} s; the call is answered",
                            PATIENCE.toSeconds());
                    return;
                }
                if (!waited(left)) {
                    return;
                }
            }
        }
    }

    /** Waits on the monitor, which is held; whether it was not interrupted. */
    private boolean waited(long millis) {
        try {
            monitor.wait(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void work() {
        while (true) {
            long ticket;
            Supplier<CloudState> from;
            synchronized (monitor) {
                if (asked == served && !closed && !waited(TICK.toMillis())) {
                    return;
                }
                if (closed) {
                    return;
                }
                ticket = asked;
                from = states;
            }
            try {
                ports.reconcile(Port.desired(from.get(), routes));
            } catch (RuntimeException bug) {
                LOG.error("the kernel does not follow the state", bug);
            }
            synchronized (monitor) {
                served = ticket;
                monitor.notifyAll();
            }
        }
    }

    /** Takes the network away, with all namespaces; a second close does nothing. */
    @Override
    public void close() {
        synchronized (monitor) {
            if (closed) {
                return;
            }
            closed = true;
            monitor.notifyAll();
        }
        try {
            worker.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ports.removeAll();
        List<String> problems = namespaces.removeAll();
        problems.forEach(problem -> LOG.warn("a namespace is left: {}", problem));
    }

    /** The error of a command that ip refused. */
    static EmulatorException cannot(String what, IpException why) {
        return new EmulatorException("cannot " + what + ": " + why.getMessage(), why);
    }

    /**
     * What the network is to be like.
     *
     * @param prefix how the names of its namespaces begin: {@code PREFIX-vpc}, {@code PREFIX-node-0}
     * @param routes the VPC's route table: a CIDR, in its canonical spelling, to the instance that it leads to, which is named
     *     by its id or its host name
     */
    public record DataplaneSpec(String prefix, Map<String, String> routes) {
        private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]{0,31}");

        /** Checks it. Throws IllegalArgumentException if a name or a CIDR is none. */
        public DataplaneSpec {
            if (!PREFIX.matcher(prefix).matches()) {
                throw new IllegalArgumentException("'" + prefix + "' begins no namespace's name: it is 1 to 32 letters,"
                        + " digits, dots and hyphens, and begins with a letter or a digit");
            }
            Map<String, String> canonical = new LinkedHashMap<>();
            routes.forEach((cidr, instance) -> {
                if (canonical.put(block(cidr), instance) != null) {
                    throw new IllegalArgumentException("there are two routes to " + cidr);
                }
            });
            routes = Collections.unmodifiableMap(canonical);
        }

        private static String block(String cidr) {
            IPAddress block = new IPAddressString(cidr).getAddress();
            if (block == null || block.getNetworkPrefixLength() == null || !block.equals(block.toPrefixBlock())) {
                throw new IllegalArgumentException(
                        "the route to '" + cidr + "' leads nowhere: that is no CIDR, as in" + " 172.16.0.0/24");
            }
            return block.toPrefixBlock().toCanonicalString();
        }
    }
}

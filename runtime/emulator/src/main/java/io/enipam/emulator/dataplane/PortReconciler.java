package io.enipam.emulator.dataplane;

import io.enipam.emulator.cloud.EmulatorException;
import io.enipam.emulator.dataplane.IpTool.IpException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ports that there are. Not thread-safe. */
final class PortReconciler {
    private static final Logger LOG = LoggerFactory.getLogger(PortReconciler.class);
    private static final Path DEVICES = Path.of("/proc/self/net/dev");
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final int MOST_DOUBLINGS = 5;

    private final IpTool ip;
    private final Namespaces namespaces;
    private final Map<String, Made> made = new LinkedHashMap<>();
    private final Map<String, Failed> failed = new LinkedHashMap<>();

    PortReconciler(IpTool ip, Namespaces namespaces) {
        this.ip = ip;
        this.namespaces = namespaces;
    }

    /** A port that is there, with the number of its end in the instance, as in {@code eth1}. */
    private record Made(Port port, int link) {}

    /** One that could not be made so often; it is tried again at a moment of {@link System#nanoTime}. */
    private record Failed(int times, long againNanos) {}

    /** Makes, changes and removes ports. The failure of one port is logged and does not touch the others. */
    void reconcile(Map<String, Port> desired) {
        forgetLost();
        for (Made there : List.copyOf(made.values())) {
            Port wanted = desired.get(there.port().eni());
            if (wanted == null || !wanted.isSameLink(there.port())) {
                remove(there.port());
            } else {
                // what goes goes first: an address may have moved to another ENI
                change(there, there.port().common(wanted));
            }
        }
        failed.keySet().retainAll(desired.keySet());
        for (Port wanted : desired.values()) {
            Made there = made.get(wanted.eni());
            if (there == null) {
                make(wanted);
            } else {
                change(there, wanted);
            }
        }
    }

    /** Takes all links away, those that are in pods, too. */
    void removeAll() {
        List<Port> all = made.values().stream().map(Made::port).toList();
        all.forEach(this::remove);
    }

    /** A link goes with the namespace that its other end was moved to. A real NIC does not. */
    private void forgetLost() {
        Set<String> there = devices();
        for (Made one : List.copyOf(made.values())) {
            if (!there.contains(one.port().name())) {
                LOG.info(
                        "the link of {} was lost with its namespace; it comes back to {}",
                        one.port().eni(),
                        one.port().node());
                remove(one.port());
            }
        }
    }

    private static Set<String> devices() {
        try {
            return Files.readAllLines(DEVICES).stream()
                    .filter(line -> line.indexOf(':') > 0)
                    .map(line -> line.substring(0, line.indexOf(':')).strip())
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void make(Port port) {
        Failed before = failed.getOrDefault(port.eni(), new Failed(0, System.nanoTime()));
        if (before.againNanos - System.nanoTime() > 0) {
            return;
        }
        // after a failure the next name: the instance may have a link of that one
        int link = port.guest().isPresent() ? 0 : freeLink(port.node(), 1 + before.times);
        try {
            run(PortScript.making(port, namespaces.node(port.node()), "eth" + link), port);
            Namespaces.answerAtOnce(port.name());
            made.put(port.eni(), new Made(port, link));
            failed.remove(port.eni());
        } catch (IpException | EmulatorException e) {
            fail(port, before.times, e);
        }
    }

    private int freeLink(String node, int first) {
        Set<Integer> taken = made.values().stream()
                .filter(one -> one.port().node().equals(node))
                .map(Made::link)
                .collect(Collectors.toSet());
        return IntStream.iterate(first, number -> number + 1)
                .filter(number -> !taken.contains(number))
                .findFirst()
                .orElseThrow();
    }

    private void change(Made there, Port to) {
        PortScript script = PortScript.changing(there.port(), to);
        if (!script.isEmpty()) {
            try {
                run(script, to);
            } catch (IpException e) {
                // what is half done belongs to the one or to the other
                remove(to);
                fail(there.port(), 0, e);
                return;
            }
        }
        made.put(to.eni(), new Made(to, there.link()));
    }

    private void run(PortScript script, Port port) throws IpException {
        ip.batch(script.vpc());
        ip.batch(script.ipv6Rules(), "-6");
        ip.batch(script.node(), "-n", namespaces.node(port.node()));
    }

    private void fail(Port port, int times, Exception why) {
        long pause = FIRST_PAUSE.toNanos() << Math.min(times, MOST_DOUBLINGS);
        remove(port);
        failed.put(port.eni(), new Failed(times + 1, System.nanoTime() + pause));
        LOG.warn(
                "{} on {} has no link: {}; it is tried again in {} s",
                port.eni(),
                port.node(),
                why.getMessage(),
                Duration.ofNanos(pause).toSeconds());
    }

    private void remove(Port port) {
        made.remove(port.eni());
        PortScript script = PortScript.removing(port);
        try {
            List<String> rules = new ArrayList<>(script.ipv6Rules());
            ip.batchAll(rules, "-6");
            ip.batchAll(script.vpc());
        } catch (IpException e) {
            LOG.warn("the link of {} may still be there: {}", port.eni(), e.getMessage());
        }
    }
}

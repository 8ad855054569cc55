package io.enipam.datapath.link;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.iproute.NetnsSnapshot;
import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.record.AttachmentRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an ENI's link was called in the node's namespace and how large its packets could be. The record has it, and so
 * has the link itself, as its alias, which goes with it from namespace to namespace.
 */
record Nic(String name, int mtu) {
    private static final String NAME = "nic";
    private static final String MTU = "nicMtu";
    private static final String MARK = "enipam-nic";
    private static final int MAC_TAIL = 8;

    static Nic of(Links.Link link) {
        return new Nic(link.name(), link.mtu());
    }

    static Nic of(AttachmentRecord record) {
        return new Nic(
                record.more().getOrDefault(NAME, ""),
                Integer.parseInt(record.more().getOrDefault(MTU, "1500")));
    }

    Map<String, String> more() {
        return Map.of(NAME, name, MTU, String.valueOf(mtu));
    }

    String alias() {
        return MARK + "," + name + "," + mtu;
    }

    /** Reads that. */
    static Optional<Nic> parse(String alias) {
        String[] parts = alias.split(",", -1);
        try {
            return parts.length == 3 && parts[0].equals(MARK)
                    ? Optional.of(new Nic(parts[1], Integer.parseInt(parts[2])))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** What it can be called again: as before, or, if that is another's now, by the end of its hardware address. */
    String nameAmong(Collection<String> taken, String mac) {
        if (!name.isEmpty() && !taken.contains(name)) {
            return name;
        }
        String byMac = "eni" + mac.toLowerCase(Locale.ROOT).replace(":", "").substring(12 - MAC_TAIL);
        String free = byMac;
        for (char more = 'a'; taken.contains(free) && more <= 'z'; more++) {
            free = byMac + more;
        }
        return free;
    }

    /**
     * Takes a pod's NIC back. Where it is decides what is to be done: in the pod's namespace it is moved out; in this one it came back
     * already, by half a DEL or because the namespace ended (the kernel then moves NICs to its first namespace, under their name there
     * or as {@code dev5}), and is called again what it was called before; while a namespace is ending it is nowhere for a moment.
     */
    record NicDisconnector(AttachmentRecord record, LinkContext node, Nic nic) {
        private static final Logger LOG = LoggerFactory.getLogger(NicDisconnector.class);
        private static final Duration PATIENCE = Duration.ofSeconds(2);
        private static final long LOOK_MILLIS = 20;

        void disconnect() {
            boolean usable = Netns.usable(record.netns());
            if (here().isEmpty() && usable) {
                NetnsSnapshot.link(node.runner(), record.netns(), record.eniMac())
                        .ifPresent(link -> fetch(link.name()));
            }
            Optional<Links.Link> back = usable ? here() : awaited();
            Batch batch = Batch.here();
            ExclusiveKind.pair(record).remove(batch, node);
            back.ifPresentOrElse(
                    link -> asBefore(link, batch),
                    () -> LOG.warn(
                            "the NIC {} of {} is not in this namespace and not in {}: it comes back when the last"
                                    + " process there ends, or it is detached",
                            record.eniMac(),
                            record.key(),
                            record.netns()));
            node.runner().run(batch);
        }

        private Optional<Links.Link> here() {
            return node.links().byMac(record.eniMac());
        }

        /** Moves it out of the pod's namespace, whatever it is called there. */
        private void fetch(String name) {
            String home = "/proc/" + ProcessHandle.current().pid() + "/ns/net";
            try {
                node.runner()
                        .run(Batch.in(record.netns())
                                .down(name)
                                .move(name, home, nic.nameAmong(node.links().names(), record.eniMac())));
            } catch (CommandFailedException e) {
                if (Netns.usable(record.netns())) {
                    throw e;
                }
                // it ended meanwhile, and the kernel brings the NIC back
            }
        }

        /** A namespace ends some time after the last that refers to it, on a thread of the kernel's. */
        private Optional<Links.Link> awaited() {
            long end = System.nanoTime() + PATIENCE.toNanos();
            Optional<Links.Link> link = here();
            while (link.isEmpty() && System.nanoTime() < end) {
                try {
                    Thread.sleep(LOOK_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return link;
                }
                link = here();
            }
            return link;
        }

        private void asBefore(Links.Link link, Batch batch) {
            List<String> others = new ArrayList<>(node.links().names());
            others.remove(link.name());
            String wanted = nic.nameAmong(others, record.eniMac());
            if (!nic.name().isEmpty() && !link.name().equals(wanted)) {
                batch.down(link.name()).rename(link.name(), wanted).mtu(wanted, nic.mtu());
            } else if (link.mtu() != nic.mtu()) {
                batch.mtu(link.name(), nic.mtu());
            }
        }
    }
}

package io.enipam.datapath.exclusive;

import io.enipam.datapath.iproute.Batch;
import io.enipam.datapath.iproute.CommandFailedException;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.record.AttachmentRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a pod's NIC back. Where it is decides what is to be done: in the pod's namespace it is moved out; in this one it came back
 * already, by half a DEL or because the namespace ended (the kernel then moves NICs to its first namespace, under their name there
 * or as {@code dev5}), and is called again what it was called before; while a namespace is ending it is nowhere for a moment.
 */
final class NicDisconnector {
    private static final Logger LOG = LoggerFactory.getLogger(NicDisconnector.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final long LOOK_MILLIS = 20;

    private final AttachmentRecord record;
    private final LinkContext node;
    private final Nic nic;

    NicDisconnector(AttachmentRecord record, LinkContext node) {
        this.record = record;
        this.node = node;
        this.nic = Nic.of(record);
    }

    void disconnect() {
        boolean usable = Netns.usable(record.netns());
        if (here().isEmpty() && usable) {
            PodLink.find(node.runner(), record.netns(), record.eniMac()).ifPresent(link -> fetch(link.name()));
        }
        Optional<Links.Link> back = usable ? here() : awaited();
        Batch batch = Batch.here();
        ExclusiveKind.pair(record).remove(batch, node);
        back.ifPresentOrElse(
                link -> asBefore(link, batch),
                () -> LOG.warn(
                        "the NIC {} of {} is not in this namespace and not in {}: it comes back when the last process there"
                                + " ends, or it is detached",
                        record.eniMac(),
                        record.owner(),
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
                            .ip("link set dev " + name + " down")
                            .ip("link set dev " + name + " netns " + home + " name " + free()));
        } catch (CommandFailedException e) {
            if (Netns.usable(record.netns())) {
                throw e;
            }
            // it ended meanwhile, and the kernel brings the NIC back
        }
    }

    private String free() {
        return nic.nameAmong(node.links().names(), record.eniMac());
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
            batch.ip("link set dev " + link.name() + " down")
                    .ip("link set dev " + link.name() + " name " + wanted)
                    .ip("link set dev " + wanted + " mtu " + nic.mtu());
        } else if (link.mtu() != nic.mtu()) {
            batch.ip("link set dev " + link.name() + " mtu " + nic.mtu());
        }
    }
}

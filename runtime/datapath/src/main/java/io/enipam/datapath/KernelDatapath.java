package io.enipam.datapath;

import io.enipam.datapath.DatapathExecutor.OwnerSerialExecutor;
import io.enipam.datapath.iproute.Links;
import io.enipam.datapath.iproute.Netns;
import io.enipam.datapath.iproute.PrivilegeCheck;
import io.enipam.datapath.iproute.Runner;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.datapath.link.ExclusiveKind;
import io.enipam.datapath.link.IpvlanKind;
import io.enipam.datapath.link.LinkContext;
import io.enipam.datapath.link.LinkContext.NodeNetwork;
import io.enipam.datapath.link.LinkKind;
import io.enipam.datapath.link.RouteTables;
import io.enipam.datapath.link.RoutedKind;
import io.enipam.datapath.link.VethKind;
import io.enipam.datapath.netlink.Launcher;
import io.enipam.datapath.netlink.NetlinkHelper;
import io.enipam.datapath.record.AttachmentRecord;
import io.enipam.datapath.record.AttachmentRecordStore;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.Span;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The kernel of this node's network namespace. Thread-safe. */
public final class KernelDatapath implements Datapath, AutoCloseable {
    private static final int SECONDS = 10;

    /** The kinds of links, in the order in which they are asked whether they serve a pod. */
    private static final List<LinkKind> KINDS =
            List.of(new ExclusiveKind(), new RoutedKind(), new IpvlanKind(), new VethKind());

    private static final Logger LOG = LoggerFactory.getLogger(KernelDatapath.class);

    private final NetlinkHelper netlink;
    private final Runner runner;
    private final DatapathExecutor workers = new DatapathExecutor();
    private final OwnerSerialExecutor turns = new OwnerSerialExecutor(workers);
    private final SandboxConnector attachments;
    private final DatapathAuditor inspection;

    /**
     * Starts nothing yet.
     *
     * @param launcher starts {@code enipam-netlink}, iproute2 and the shell, which make every change but that of a sysctl of the node
     * @param netns the file of the node's own network namespace
     */
    public KernelDatapath(DatapathConfig config, Launcher launcher, Path netns) {
        this.netlink = new NetlinkHelper(config.netlink(), SECONDS, launcher);
        this.runner = new Runner(SECONDS, netlink);
        AttachmentRecordStore records = new AttachmentRecordStore(config.records());
        Links links = new Links();
        LinkContext node = new LinkContext(
                config.node(), runner, links, new Sysctls(config.sysctls()), new RouteTables(links, records), netns);
        this.attachments = new SandboxConnector(records, node, KINDS);
        this.inspection = new DatapathAuditor(attachments);
    }

    /** Why the kernel cannot be changed from here, if that is so: no root, no iproute2. */
    public static Optional<String> unavailableReason() {
        return PrivilegeCheck.missing();
    }

    /** Opens it; nothing is changed. Throws UncheckedIOException if the records cannot be read. */
    public static KernelDatapath open(DatapathConfig config) {
        KernelDatapath opened = new KernelDatapath(config, ProcessBuilder::start, Netns.OWN);
        // the first pod is not to wait for a process to start
        opened.workers.run(opened::startNetlink);
        return opened;
    }

    /** Why pods are connected by iproute2 now; empty if they are by {@code enipam-netlink}. */
    public Optional<String> netlinkUnusable() {
        return netlink.unusable();
    }

    private boolean startNetlink() {
        boolean started = netlink.start();
        if (started) {
            LOG.info("pods are connected by netlink");
        } else {
            LOG.info(
                    "pods are connected by iproute2, a process for each batch: {}",
                    netlink.unusable().orElse(""));
        }
        return started;
    }

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        Span step = span.step("KERNEL");
        return Stages.traced(
                step,
                turns.run(connection.lease().owner(), () -> attachments.setUp(connection))
                        .toCompletableFuture());
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        Span step = span.step("KERNEL");
        CompletionStage<Void> done = turns.run(owner, () -> {
            attachments.tearDown(owner);
            return null;
        });
        return Stages.traced(step, done.toCompletableFuture());
    }

    @Override
    public CompletionStage<Boolean> adjust(Lease lease, PodNetworkSpec spec) {
        return turns.run(lease.owner(), () -> attachments.adjust(lease, spec));
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return workers.run(attachments::attached);
    }

    /** Path of the network namespace that a sandbox is connected to; empty if it is not connected, or that is gone. */
    public Optional<String> netns(OwnerKey owner) {
        return attachments.records().of(owner).map(AttachmentRecord::netns).filter(Netns::usable);
    }

    /** Whether a sandbox was connected here and not disconnected since, whatever has become of its links. */
    public boolean hasConnected(OwnerKey owner) {
        return attachments.records().of(owner).isPresent();
    }

    /** Whether any sandbox was connected here and not disconnected since. */
    public boolean hasConnectedAny() {
        return !attachments.records().all().isEmpty();
    }

    /** How many processes were started since it was opened. */
    public long processStarts() {
        return runner.starts() + netlink.starts();
    }

    /**
     * Compares the kernel with what should be there, and looks for what is left of sandboxes that are gone. The stage
     * fails if the kernel could not be read.
     */
    public CompletionStage<List<KernelFault>> faults() {
        return workers.run(inspection::audit);
    }

    /** The same of one connection; a fault of part {@code LINK} if it is none. */
    public CompletionStage<List<KernelFault>> faults(OwnerKey owner) {
        return workers.run(() -> inspection.audit(owner));
    }

    /**
     * Repairs what can be repaired without a pod noticing: rules, routes, neighbours, sysctls, and leftovers of
     * sandboxes whose owner is not among {@code kept}, those with a lease. Returns what was repaired.
     */
    public CompletionStage<List<KernelFault>> repair(Set<OwnerKey> kept) {
        return workers.run(() -> inspection.repair(Set.copyOf(kept)));
    }

    /** Mends the same of all connections, and removes nothing. Returns what is wrong after that, leftovers aside. */
    public CompletionStage<List<KernelFault>> mend() {
        return workers.run(inspection::mend);
    }

    /** Ends its threads; what is connected stays so. */
    @Override
    public void close() {
        workers.close();
        netlink.close();
    }

    /**
     * Where and for whom the datapath works.
     *
     * @param records directory of what was connected how, one small file for each; it shall end with the machine, as
     *     links do
     * @param sysctls the directory that has {@code net/ipv4}, usually {@code /proc/sys}
     * @param netlink the file of {@code enipam-netlink}; without it iproute2 does all
     */
    public record DatapathConfig(Path records, NodeNetwork node, Path sysctls, Optional<Path> netlink) {}

    /**
     * Something of the kernel that is not as it should be.
     *
     * @param owner whose connection is concerned; empty for a leftover
     * @param what is wrong, in a sentence without a full stop, with the names and numbers to look for
     * @param mendable whether {@link KernelDatapath#repair} can put it right without the pod noticing
     */
    public record KernelFault(Optional<OwnerKey> owner, Part part, String what, boolean mendable) {
        public enum Part {
            LINK,
            ADDRESS,
            NEIGHBOUR,
            ROUTE,
            RULE,
            QDISC,
            SYSCTL,
            /** A leftover of a sandbox that is gone. */
            LEFTOVER
        }
    }
}

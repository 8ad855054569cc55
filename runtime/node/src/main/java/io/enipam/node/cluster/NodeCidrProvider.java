package io.enipam.node.cluster;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.TimeSource;
import io.enipam.kubernetes.cidr.AddressFileStore;
import io.enipam.kubernetes.cidr.NodeCidr;
import io.enipam.kubernetes.cidr.NodeCidrFactory;
import io.enipam.kubernetes.cidr.NodeCidrFactory.LentAddress;
import io.enipam.platform.AtomicFile;
import io.enipam.sdk.Address;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Opens the factory of the node's CIDR: requests the CIDR from the cluster, and uses the last known one while the
 * cluster does not answer, so that a daemon can serve when it starts without the API server. Thread-safe.
 */
public final class NodeCidrProvider implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 10;

    private final Path file;
    private final AddressFileStore files;
    private final Optional<AddressFileStore> passedOver;
    private final Supplier<ResourceDb.Contents> database;
    private final TimeSource time;
    private final EventSink events;
    private final CompletableFuture<Optional<ClusterConnection>> cluster = new CompletableFuture<>();
    private volatile Optional<NodeCidrFactory> opened = Optional.empty();
    private volatile String lastConflict = "";

    /**
     * @param file with the cluster's last answer
     * @param files of the taken addresses
     * @param passedOver files of this node's host-local, if only {@code --root} makes the daemon keep its own elsewhere
     * @param database the leases and holds
     */
    public NodeCidrProvider(
            Path file,
            AddressFileStore files,
            Optional<AddressFileStore> passedOver,
            Supplier<ResourceDb.Contents> database,
            TimeSource time,
            EventSink events) {
        this.file = file;
        this.files = files;
        this.passedOver = passedOver;
        this.database = database;
        this.time = time;
        this.events = events;
    }

    public static ResourceFactory noCluster() {
        throw new FactoryException(
                ErrorKind.MISCONFIGURED,
                "the node's CIDR is the cluster's to say, and there is no way to a cluster; set kubernetes.kubeconfig, or run the"
                        + " daemon in a pod");
    }

    /** The cluster's last answer; empty if there has never been one. Reads a file. */
    public Optional<NodeCidr> last() {
        try {
            return Files.exists(file)
                    ? Optional.of(NodeCidr.parse(
                            Files.readString(file, StandardCharsets.UTF_8).strip()))
                    : Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            events.warning(
                    "NodeCidrUnconfirmed", "node", file + " is of no use and will be written anew: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** The CIDR of the factory that was opened last; empty if none was. */
    public Optional<NodeCidr> inUse() {
        return opened.map(NodeCidrFactory::cidr);
    }

    public AddressFileStore files() {
        return files;
    }

    /** Sets where to ask; call it once. */
    public void connect(Optional<ClusterConnection> link) {
        cluster.complete(link);
    }

    /** Opens the factory; blocks for some seconds at most; throws FactoryException if the CIDR is unknown. */
    public ResourceFactory open() {
        Optional<NodeCidr> before = last();
        NodeCidr cidr;
        try {
            Optional<ClusterConnection> link = cluster.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (link.isEmpty()) {
                return noCluster();
            }
            cidr = link.get().nodeCidr().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FactoryException(ErrorKind.UNAVAILABLE, "the question for the node's CIDR was given up", e);
        } catch (ExecutionException | TimeoutException e) {
            cidr = unanswered(before, Stages.cause(e));
        }
        if (!before.equals(Optional.of(cidr))) {
            remember(cidr, before);
        }
        conflict(cidr).ifPresent(words -> {
            throw new FactoryException(ErrorKind.MISCONFIGURED, words);
        });
        NodeCidrFactory factory = new NodeCidrFactory(
                cidr,
                files,
                known(),
                this::lent,
                time::now,
                warning -> events.warning("NodeAddressTaken", "node", warning));
        opened = Optional.of(factory);
        return factory;
    }

    /** Restores removed address files, and warns of addresses that two programs could give. Called every few seconds. */
    public void check() {
        opened.ifPresent(factory -> {
            factory.restoreFiles();
            String conflict = conflict(factory.cidr()).orElse("");
            if (!conflict.isEmpty() && !conflict.equals(lastConflict)) {
                events.warning("NodeAddressTaken", "node", conflict);
            }
            lastConflict = conflict;
        });
    }

    private Optional<String> conflict(NodeCidr cidr) {
        return passedOver.flatMap(others -> conflict(cidr, others, files.location()));
    }

    /** The problem that addresses of the CIDR are taken in another directory than the daemon's own, if so. */
    static Optional<String> conflict(NodeCidr cidr, AddressFileStore others, String own) {
        try {
            return others.owners().entrySet().stream()
                    .filter(entry -> cidr.contains(Address.parse(entry.getKey())))
                    .map(entry -> "address " + entry.getKey() + " of the node's CIDR is taken by " + entry.getValue()
                            + " in "
                            + others.location() + ", and with --root this daemon keeps its own addresses in "
                            + own
                            + ", so it would lend that address twice; set vpc.address_dir to " + others.location())
                    .findFirst();
        } catch (IOException e) {
            return Optional.of("whether other programs of this node have addresses of the node's CIDR cannot be seen: "
                    + e.getMessage() + "; set vpc.address_dir");
        }
    }

    private NodeCidr unanswered(Optional<NodeCidr> before, Throwable why) {
        if (why instanceof FactoryException useless) {
            throw useless;
        }
        String reason = why instanceof TimeoutException ? "no answer in time" : String.valueOf(why.getMessage());
        NodeCidr last = before.orElseThrow(() -> new FactoryException(
                ErrorKind.UNAVAILABLE,
                "the node's CIDR is not known, since the API server did not say it: " + reason + "; it is asked again",
                why));
        events.warning("NodeCidrUnconfirmed", "node", "going by the node's CIDR of before, " + last + ": " + reason);
        return last;
    }

    private List<Resource> known() {
        ResourceDb.Contents contents = database.get();
        return Stream.concat(
                        contents.leases().stream().map(Lease::resource),
                        contents.holds().stream().map(Hold::resource))
                .filter(resource -> resource.factory().equals(NodeCidrFactory.NAME))
                .toList();
    }

    private List<LentAddress> lent() {
        return database.get().leases().stream()
                .filter(lease -> lease.resource().factory().equals(NodeCidrFactory.NAME))
                .map(lease -> new LentAddress(lease.resource().id(), OwnerRecordingDatapath.owner(lease.owner())))
                .toList();
    }

    private void remember(NodeCidr cidr, Optional<NodeCidr> before) {
        before.ifPresent(former -> events.warning(
                "NodeCidrChanged",
                "node",
                "the node's CIDR is " + cidr + " now, and was " + former
                        + ": pods keep the addresses they have, and the next ones"
                        + " are of the new one; addresses of the former one lead here only as long as routes do"));
        try {
            AtomicFile.write(file, (cidr + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            events.warning("NodeCidrUnconfirmed", "node", "the node's CIDR cannot be written down: " + e.getMessage());
        }
    }

    /** Ends the wait of callers for the cluster: there is none. */
    @Override
    public void close() {
        cluster.complete(Optional.empty());
    }
}

package io.enipam.node.cloud;

import io.enipam.aliyun.eni.CloudFactory.KnownAddressPairs;
import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which addresses belong to the same owner, by the database, and where it has no entry, by the kernel: a lost database
 * must not separate a pod's two addresses. Thread-safe.
 */
public final class LeasedAddressPairs implements KnownAddressPairs {
    private static final Logger LOG = LoggerFactory.getLogger(LeasedAddressPairs.class);
    private static final int KERNEL_SECONDS = 5;

    private final Supplier<ResourceDb.Contents> database;
    private volatile Optional<Datapath> kernel = Optional.empty();

    /** @param database reads memory; may wait until the database is open */
    public LeasedAddressPairs(Supplier<ResourceDb.Contents> database) {
        this.database = database;
    }

    /** Uses the kernel, too, from now on. */
    public void addDatapath(Datapath datapath) {
        kernel = Optional.of(datapath);
    }

    @Override
    public List<Pair> read() {
        ResourceDb.Contents contents = database.get();
        Map<String, Pair> byIpv4 = new HashMap<>();
        // the kernel first, so that the database's entries replace it where both have one
        attached().forEach(sandbox -> put(sandbox.addresses().stream(), byIpv4));
        Stream<Resource> resources = Stream.concat(
                contents.holds().stream().map(hold -> hold.resource()),
                contents.leases().stream().map(lease -> lease.resource()));
        resources.forEach(resource -> put(resource.addresses().stream().map(Address::ip), byIpv4));
        return List.copyOf(byIpv4.values());
    }

    private static void put(Stream<InetAddress> addresses, Map<String, Pair> byIpv4) {
        List<String> four = new ArrayList<>();
        List<String> six = new ArrayList<>();
        addresses.forEach(ip -> (ip instanceof Inet4Address ? four : six).add(AddressFormat.text(ip)));
        if (four.size() == 1 && six.size() <= 1) {
            byIpv4.put(four.get(0), new Pair(four.get(0), six.stream().findFirst()));
        }
    }

    private List<Attachment> attached() {
        if (kernel.isEmpty()) {
            return List.of();
        }
        try {
            return kernel.get().attached().toCompletableFuture().get(KERNEL_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn(
                    "the kernel did not say which addresses its pods have together, so the database alone does: {}",
                    String.valueOf(e.getMessage()));
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }
}

package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.eni.AddressRequest.AddressDisposal;
import io.enipam.aliyun.eni.AddressRequest.RequestTokenIndex;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.aliyun.eni.EniSlots.AttachedEniCounter;
import io.enipam.aliyun.eni.FactorySettings.LostEniPolicy;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Makes the resources of one {@link EniUse} on the secondary ENIs of this instance: addresses, or whole ENIs (terway's
 * mode ENIOnly). Thread-safe; no method blocks. {@link EniRegistry} explains how it keeps its state.
 *
 * <p>A whole ENI is an ENI with one address that is lent: made and attached for its request, and detached and deleted
 * when the address is given back. Created means that it is attached; disposed means that the cloud has it no more, and
 * until then it keeps its slot.
 *
 * <p>Before the first {@link #list()} reads the cloud, operations that an earlier run left open are finished or undone
 * ({@link PendingOperationRecovery}). Creates and disposals wait until the cloud was read: before that, the registry is
 * empty only because it was not read yet.
 *
 * <p>It does not promise to replay tokens: requests share calls, and the cloud's idempotency is of calls. Within one
 * run of the daemon, a token gives the same stage for as long as its address is lent.
 */
public final class CloudFactory implements ResourceFactory {
    /**
     * What the factories on one instance share.
     *
     * @param journal where each operation is written before the cloud is asked, and what earlier runs left open
     * @param calls runs the blocking calls of the cloud; its size bounds how many are out at once
     * @param known which addresses belong to the same pod
     */
    public record Context(
            EcsApi api,
            CloudJournal journal,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            Executor calls,
            EniSlots slots,
            KnownAddressPairs known) {
        /** The same for one use: its part of the journal, and of whole ENIs the primary address alone. */
        Context of(EniUse use) {
            EcsApi cloud = use == EniUse.WHOLE ? primaryAddresses(api) : api;
            return new Context(cloud, use.journalWithin(journal), time, scheduler, events, calls, slots, known);
        }

        /**
         * The cloud for a factory that lends whole ENIs: of its IPv4 addresses, an ENI shows the primary one alone. Further addresses
         * belong to the pod that assigned them, and go with the ENI; they are shown to a search by address.
         */
        private static EcsApi primaryAddresses(EcsApi api) {
            return (EcsApi) Proxy.newProxyInstance(
                    EcsApi.class.getClassLoader(), new Class<?>[] {EcsApi.class}, (self, method, args) -> {
                        try {
                            Object answer = method.invoke(api, args);
                            return method.getName().equals("describeNetworkInterfacesByIp")
                                    ? answer
                                    : primaryOnly(answer);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        private static Object primaryOnly(Object answer) {
            if (answer instanceof EcsApi api) {
                return primaryAddresses(api);
            } else if (answer instanceof List<?> all) {
                return all.stream().map(Context::primaryOnly).toList();
            }
            return answer instanceof NetworkInterface eni ? eni.primaryOnly() : answer;
        }
    }

    private final EniRegistry fleet;
    private final AddressBatcher work;
    private final Reconciler reconciler;
    private final ResourceMapper resources;
    private final PendingOperationRecovery unfinished;
    private final OrphanedEniSweeper sweep;
    private final RequestTokenIndex tokens;
    private Optional<CompletableFuture<List<Resource>>> firstList = Optional.empty();

    /** @param vswitches where ENIs are made, in order of preference, at least one */
    public CloudFactory(FactorySettings settings, List<VSwitch> vswitches, Context context) {
        VSwitches memory = new VSwitches(
                context.time(), vswitches, settings.vswitchPolicy(), new SplittableRandom(settings.seed()));
        this.resources = new ResourceMapper(memory, settings.use());
        this.fleet = new EniRegistry(settings, memory, context.of(settings.use()));
        this.tokens = new RequestTokenIndex(fleet, resources);
        EniRefresher reading = new EniRefresher(fleet, resources);
        this.work = new AddressBatcher(fleet, resources, reading);
        EniLifecycle lifecycle = new EniLifecycle(fleet);
        this.reconciler =
                new Reconciler(fleet, new AttachedEniCounter(fleet, context.journal()), reading, resources, lifecycle);
        this.unfinished = new PendingOperationRecovery(fleet, lifecycle);
        reading.onIncompleteRead = reconciler::scheduleCount;
        lifecycle.onLostCreate = unfinished::scheduleLookup;
        lifecycle.onFullInstance = reconciler::scheduleCount;
        this.sweep = new OrphanedEniSweeper(fleet);
        fleet.placement = new RequestPlacement(fleet, work, lifecycle)::settle;
    }

    @Override
    public ResourceKind kind() {
        return resources.kind();
    }

    @Override
    public Capabilities capabilities() {
        FactorySettings settings = fleet.settings;
        // an ENI that is being attached again has its slot, and serves no request meanwhile
        long away = fleet.read(() -> fleet.enis().stream()
                .filter(eni -> eni.is(EniState.LOST) && eni.operation.underWay)
                .count());
        int capacity = (int) Math.max(0, fleet.slots.bound() - away) * settings.perEni();
        int batch = settings.use() == EniUse.WHOLE ? 1 : AddressBatcher.BATCH;
        return new Capabilities(settings.families(), capacity, batch, false);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        List<AddressRequest> tickets =
                fleet.update(() -> requests.stream().map(this::ticket).toList());
        afterFirstList(
                () -> tickets.forEach(this::queue),
                failure -> tickets.forEach(ticket -> fleet.complete(ticket, failure)));
        return tickets.stream()
                .<CompletionStage<CreateResult>>map(AddressRequest::result)
                .toList();
    }

    private AddressRequest ticket(CreateRequest request) {
        return tokens.find(request.token()).orElseGet(() -> fresh(request));
    }

    private AddressRequest fresh(CreateRequest request) {
        AddressRequest ticket = new AddressRequest(request, fleet.nanos());
        Duration left = Duration.between(fleet.now(), request.deadline());
        if (!request.families().equals(fleet.settings.families())) {
            String what = fleet.settings.dual()
                    ? "a resource of an ENI has an address of both families"
                    : "ENI addresses are IPv4";
            fleet.complete(ticket, Failed.of(ErrorKind.MISCONFIGURED, what + ", asked for " + request.families()));
        } else if (left.isNegative() || left.isZero()) {
            fleet.complete(ticket, expiry());
        } else if (fleet.closed) {
            fleet.complete(ticket, Failed.of(ErrorKind.UNAVAILABLE, "the factory is closed"));
        } else {
            tokens.add(ticket);
            fleet.scheduleDeadline(ticket, left, () -> expire(ticket));
        }
        return ticket;
    }

    private static Failed expiry() {
        return Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the deadline passed before the cloud gave an address");
    }

    private void expire(AddressRequest ticket) {
        fleet.waiting.remove(ticket);
        fleet.enis().forEach(eni -> eni.backlog.remove(ticket));
        fleet.complete(ticket, expiry());
    }

    private void queue(AddressRequest ticket) {
        boolean queued = fleet.waiting.contains(ticket)
                || fleet.enis().stream()
                        .anyMatch(eni -> eni.backlog.contains(ticket) || eni.assigning.contains(ticket));
        if (!ticket.answered() && !queued) {
            fleet.waiting.add(ticket);
        }
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        List<CompletableFuture<DisposeResult>> results = resources.stream()
                .map(resource -> new CompletableFuture<DisposeResult>())
                .toList();
        afterFirstList(
                () -> {
                    // Addresses that go with their primary go first, whatever the caller's order.
                    List<Integer> order = IntStream.range(0, resources.size())
                            .boxed()
                            .sorted(Comparator.comparing(i -> resources.get(i).primary()))
                            .toList();
                    order.forEach(i -> dispose(resources.get(i), results.get(i)));
                },
                failure -> results.forEach(result -> fleet.defer(() -> result.complete(failure))));
        return List.copyOf(results);
    }

    private void dispose(Resource resource, CompletableFuture<DisposeResult> result) {
        String ip = ResourceMapper.ipv4(resource);
        Optional<Eni> eni = fleet.eni(resources.eniOf(resource));
        Disposed gone = new Disposed(resource.id());
        if (fleet.closed) {
            fleet.defer(() -> result.complete(Failed.of(ErrorKind.UNAVAILABLE, "the factory is closed")));
        } else if (eni.isEmpty()) {
            fleet.defer(() -> result.complete(gone));
        } else if (eni.get().is(EniState.LOST)) {
            // they stay on the ENI as spare ones: the ENI goes, or comes back, with all that it has
            resource.addresses()
                    .forEach(address -> eni.get().find(address.host()).ifPresent(it -> it.become(Holder.SPARE)));
            eni.get().version++;
            fleet.defer(() -> result.complete(gone));
        } else if (!eni.get().addresses().containsKey(ip)) {
            // an IPv6 address may be what is left of the pair
            ResourceMapper.of(resource, Family.IPV6)
                    .flatMap(eni.get()::find)
                    .filter(six -> six.partner().isEmpty() && !six.is(Holder.SPARE))
                    .ifPresentOrElse(
                            six -> takeOff(eni.get(), new AddressDisposal(resource.id(), six.ip()), result),
                            () -> fleet.defer(() -> result.complete(gone)));
        } else if (ip.equals(eni.get().primaryIp())) {
            retire(eni.get(), new AddressDisposal(resource.id(), ip), result);
        } else {
            takeOff(eni.get(), new AddressDisposal(resource.id(), ip), result);
        }
    }

    private void takeOff(Eni eni, AddressDisposal disposal, CompletableFuture<DisposeResult> result) {
        AddressDisposal going = Stream.concat(eni.disposals.stream(), eni.unassigning.stream())
                .filter(d -> d.ip().equals(disposal.ip()))
                .findFirst()
                .orElse(disposal);
        going.result().thenAccept(result::complete);
        if (going == disposal) {
            work.queueUnassign(eni, disposal);
        }
    }

    /**
     * The primary address goes with its ENI, and only when it is the last one. An ENI that is to stay
     * ({@link EniRegistry.MinimumEnis}) keeps it as a spare one: to the caller it is gone, since no list shows it until
     * it is asked for anew.
     */
    private void retire(Eni eni, AddressDisposal disposal, CompletableFuture<DisposeResult> result) {
        if (eni.retirement.isPresent()) {
            eni.retirement.get().result().thenAccept(result::complete);
            return;
        }
        boolean needed = eni.count(Holder.ENGINE) > 1 || !eni.backlog.isEmpty() || !eni.assigning.isEmpty();
        if (needed) {
            String why = "primary address " + disposal.ip() + " goes with ENI " + eni.id()
                    + ", which has other addresses in use; dispose of those first";
            fleet.defer(() -> result.complete(new Failed(ErrorKind.CONFLICT, why, Duration.ofSeconds(1))));
            return;
        }
        if (fleet.minimum.mustKeep(eni)) {
            fleet.minimum.keep(eni);
            fleet.defer(() -> result.complete(new Disposed(disposal.id())));
            return;
        }
        eni.addresses().get(disposal.ip()).become(Holder.LEAVING);
        eni.version++;
        eni.retirement = Optional.of(disposal);
        disposal.result().thenAccept(result::complete);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return fleet.update(this::read);
    }

    /** Settles what earlier runs left open, and then reads what there is. */
    private CompletableFuture<List<Resource>> read() {
        CompletableFuture<List<Resource>> result = new CompletableFuture<>();
        if (unread()) {
            firstList = Optional.of(result);
        }
        unfinished.recover(
                () -> reconciler.list(result),
                failure -> fleet.defer(() -> result.completeExceptionally(failure.asFactoryException())));
        return result;
    }

    /** Runs a change now if the cloud has been read, else when it has been. */
    private void afterFirstList(Runnable change, Consumer<Failed> onFailure) {
        CompletableFuture<List<Resource>> read = fleet.update(() -> unread() ? read() : firstList.get());
        if (read.isDone() && !read.isCompletedExceptionally()) {
            fleet.change(change);
            return;
        }
        read.whenComplete((listed, failure) -> fleet.change(() -> {
            if (failure == null) {
                change.run();
            } else {
                onFailure.accept(unread(failure));
            }
        }));
    }

    /** Whether no list has been asked for that may yet succeed or has. */
    private boolean unread() {
        return firstList.isEmpty() || firstList.get().isCompletedExceptionally();
    }

    private static Failed unread(Throwable failure) {
        Throwable cause =
                failure.getCause() == null || failure instanceof FactoryException ? failure : failure.getCause();
        ErrorKind kind = cause instanceof FactoryException known ? known.kind() : ErrorKind.INTERNAL;
        return new Failed(kind, "this node's ENIs could not be read: " + cause.getMessage(), Duration.ofSeconds(1));
    }

    /** Deletes what this factory left behind in the cloud, on demand. */
    public EniSweeper sweeper() {
        return dryRun -> {
            CompletableFuture<EniSweeper.Report> result = new CompletableFuture<>();
            // Before the cloud was read the registry is empty: all ENIs would look left behind.
            afterFirstList(
                    () -> sweep.run(dryRun, result),
                    failure -> fleet.defer(() ->
                            result.completeExceptionally(new FactoryException(failure.kind(), failure.message()))));
            return result;
        };
    }

    /** Sweeps a while after the start, and then every hour. */
    public void scheduleSweeps() {
        fleet.change(() -> sweep.schedule(SweepRule.FIRST, () -> sweeper().sweep(false)));
    }

    /** The ENIs in its registry by id, for inspection. */
    public List<EniDirectory.Eni> enis() {
        int limit = fleet.settings.perEni();
        return fleet.read(() -> fleet.enis().stream()
                .map(eni -> eni.view(limit))
                .sorted(Comparator.comparing(EniDirectory.Eni::id))
                .toList());
    }

    public Duration lag() {
        return fleet.read(fleet.lag::settled);
    }

    /** Makes its next ENIs in these vSwitches, the preferred first, described just now. Existing ENIs stay. */
    public void setVSwitches(List<VSwitch> vswitches, VSwitchPolicy policy) {
        fleet.change(() -> fleet.vswitches.prefer(vswitches, policy));
    }

    /** What becomes, from now on, of ENIs in use that another actor takes off the instance. */
    public void setLostEniPolicy(LostEniPolicy policy) {
        fleet.change(() -> fleet.lostEni = policy);
    }

    /**
     * Serves no more, while others on the instance go on: ENIs on their way are followed to their end, and attached
     * ones with no address in use go, so that their slots are free. What is lent stays. {@link #close()} ends it at any
     * time.
     */
    public void drain() {
        fleet.change(fleet::drain);
    }

    @Override
    public void close() {
        fleet.change(fleet::close);
    }

    /**
     * What the node knows of who has which addresses together: by its database and its kernel. The cloud has two lists
     * of an ENI's addresses, and does not say which of them belong together; after a restart this is where a pod's two
     * addresses are found again. Thread-safe.
     */
    @FunctionalInterface
    public interface KnownAddressPairs {
        KnownAddressPairs NONE = List::of;

        /** Read anew each time; may wait for some seconds. */
        List<Pair> read();

        /**
         * @param ipv4 in canonical text
         * @param ipv6 in canonical text; empty if there is no IPv6 address
         */
        record Pair(String ipv4, Optional<String> ipv6) {}
    }
}

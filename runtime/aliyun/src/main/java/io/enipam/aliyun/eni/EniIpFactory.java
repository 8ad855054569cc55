package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.eni.EniAddress.Holder;
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
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Makes addresses on secondary ENIs of this instance. Thread-safe; no method blocks. {@link Fleet} tells how it keeps its
 * state.
 *
 * <p>Before the first {@link #list()} reads the cloud, operations that an earlier run left open are finished or undone ({@link
 * Unfinished}). Until it has read the cloud, creates and disposals wait: a book that is empty only because nobody
 * has read yet must answer nothing.
 *
 * <p>It does not promise to replay tokens: wishes share calls, and the cloud's idempotency is of calls. Within one run of the
 * daemon, a token gives the same stage for as long as its address is lent.
 */
public final class EniIpFactory implements CloudFactory {
    private final Fleet fleet;
    private final AddressWork work;
    private final Reconciler reconciler;
    private final Resources resources;
    private final Unfinished unfinished;
    private final Sweep sweep;
    private final Tokens tokens;
    private Optional<CompletableFuture<List<Resource>>> firstList = Optional.empty();

    /**
     * @param journal where each operation is written before the cloud is asked, and what earlier runs left open
     * @param vswitches where ENIs are made, in order of preference, at least one
     * @param calls runs the blocking calls of the cloud; its size bounds how many are out at once
     */
    public EniIpFactory(
            FactorySettings settings,
            List<VSwitch> vswitches,
            EcsApi api,
            CloudJournal journal,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            Executor calls) {
        this(
                settings,
                vswitches,
                api,
                journal,
                time,
                scheduler,
                events,
                calls,
                new Slots(settings.maxEnis(), settings.maxEnis()),
                KnownPairs.NONE);
    }

    /**
     * One of several factories on this instance, which makes addresses of both families if the settings say so.
     *
     * @param slots shared by them
     * @param known which addresses somebody has together
     */
    public EniIpFactory(
            FactorySettings settings,
            List<VSwitch> vswitches,
            EcsApi api,
            CloudJournal journal,
            TimeSource time,
            Scheduler scheduler,
            EventSink events,
            Executor calls,
            Slots slots,
            KnownPairs known) {
        VSwitches memory =
                new VSwitches(time, vswitches, settings.vswitchPolicy(), new SplittableRandom(settings.seed()));
        this.resources = new Resources(memory, settings.use());
        this.fleet = new Fleet(
                settings,
                memory,
                api,
                new UseJournal(journal, settings.use()),
                time,
                scheduler,
                events,
                calls,
                slots,
                known);
        this.tokens = new Tokens(fleet, resources);
        EniReading reading = new EniReading(fleet, resources);
        this.work = new AddressWork(fleet, resources, reading);
        EniLifecycle lifecycle = new EniLifecycle(fleet);
        this.reconciler = new Reconciler(fleet, new AttachedEnis(fleet, journal), reading, resources, lifecycle);
        this.unfinished = new Unfinished(fleet, lifecycle);
        reading.onDoubt(reconciler::countLater);
        lifecycle.onLostCreate(unfinished::searchLater);
        lifecycle.onFullInstance(reconciler::countLater);
        this.sweep = new Sweep(fleet);
        fleet.onSettle(new Placement(fleet, work, lifecycle)::settle);
    }

    @Override
    public ResourceKind kind() {
        return resources.kind();
    }

    @Override
    public Capabilities capabilities() {
        FactorySettings settings = fleet.settings;
        // an ENI that is being attached again has its slot, and serves no wish meanwhile
        long away = fleet.read(() -> fleet.enis().stream()
                .filter(eni -> eni.is(EniState.LOST) && eni.journey.underWay)
                .count());
        int capacity = (int) Math.max(0, fleet.slots.bound() - away) * settings.perEni();
        int batch = settings.use() == EniUse.WHOLE ? 1 : AddressWork.BATCH;
        return new Capabilities(settings.families(), capacity, batch, false);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        List<Ticket> tickets =
                fleet.turn(() -> requests.stream().map(this::ticket).toList());
        afterFirstList(
                () -> tickets.forEach(this::queue),
                failure -> tickets.forEach(ticket -> fleet.answer(ticket, failure)));
        return tickets.stream()
                .<CompletionStage<CreateResult>>map(Ticket::result)
                .toList();
    }

    private Ticket ticket(CreateRequest request) {
        Optional<Ticket> known = tokens.find(request.token());
        if (known.isPresent()) {
            return known.get();
        }
        Ticket ticket = new Ticket(request);
        Duration left = Duration.between(fleet.now(), request.deadline());
        if (!request.families().equals(fleet.settings.families())) {
            fleet.answer(
                    ticket,
                    Failed.of(
                            ErrorKind.MISCONFIGURED,
                            fleet.settings.dual()
                                    ? "a resource of an ENI has an address of both families, asked for "
                                            + request.families()
                                    : "ENI addresses are IPv4, asked for " + request.families()));
        } else if (left.isNegative() || left.isZero()) {
            fleet.answer(ticket, expiry());
        } else if (fleet.closed()) {
            fleet.answer(ticket, Failed.of(ErrorKind.UNAVAILABLE, "the factory is closed"));
        } else {
            tokens.add(ticket);
            fleet.arm(ticket, left, () -> expire(ticket));
        }
        return ticket;
    }

    private static Failed expiry() {
        return Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the deadline passed before the cloud gave an address");
    }

    private void expire(Ticket ticket) {
        fleet.waiting.remove(ticket);
        fleet.enis().forEach(eni -> eni.backlog.remove(ticket));
        fleet.answer(ticket, expiry());
    }

    private void queue(Ticket ticket) {
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
                failure -> results.forEach(result -> fleet.afterwards(() -> result.complete(failure))));
        return List.copyOf(results);
    }

    private void dispose(Resource resource, CompletableFuture<DisposeResult> result) {
        String ip = Resources.ipv4(resource);
        Optional<Eni> eni = fleet.eni(resources.eniOf(resource));
        if (fleet.closed()) {
            fleet.afterwards(() -> result.complete(Failed.of(ErrorKind.UNAVAILABLE, "the factory is closed")));
        } else if (eni.isEmpty()) {
            fleet.afterwards(() -> result.complete(new Disposed(resource.id())));
        } else if (eni.get().is(EniState.LOST)) {
            // they stay on the ENI as spare ones: the ENI goes, or comes back, with all that it has
            resource.addresses()
                    .forEach(address -> eni.get().find(address.host()).ifPresent(it -> it.become(Holder.SPARE)));
            eni.get().version++;
            fleet.afterwards(() -> result.complete(new Disposed(resource.id())));
        } else if (!eni.get().addresses().containsKey(ip)) {
            Optional<String> left = Resources.of(resource, Family.IPV6)
                    .filter(six ->
                            eni.get().find(six).filter(EniIpFactory::isLeft).isPresent());
            left.ifPresentOrElse(
                    six -> takeOff(eni.get(), new Disposal(resource.id(), six), result),
                    () -> fleet.afterwards(() -> result.complete(new Disposed(resource.id()))));
        } else if (ip.equals(eni.get().primaryIp())) {
            retire(eni.get(), new Disposal(resource.id(), ip), result);
        } else {
            takeOff(eni.get(), new Disposal(resource.id(), ip), result);
        }
    }

    /** Whether an IPv6 address is what is left of somebody's two. */
    private static boolean isLeft(EniAddress six) {
        return six.partner().isEmpty() && !six.is(Holder.SPARE);
    }

    private void takeOff(Eni eni, Disposal disposal, CompletableFuture<DisposeResult> result) {
        Disposal going = Stream.concat(eni.disposals.stream(), eni.unassigning.stream())
                .filter(d -> d.ip().equals(disposal.ip()))
                .findFirst()
                .orElse(disposal);
        going.result().thenAccept(result::complete);
        if (going == disposal) {
            work.leave(eni, disposal);
        }
    }

    /**
     * The primary address goes with its ENI, and only when it is the last one. An ENI that is to stay ({@link Minimum}) keeps
     * it, for nobody: to the caller it is gone, since no list shows it until it is asked for anew.
     */
    private void retire(Eni eni, Disposal disposal, CompletableFuture<DisposeResult> result) {
        if (eni.retirement.isPresent()) {
            eni.retirement.get().result().thenAccept(result::complete);
            return;
        }
        boolean needed = eni.count(Holder.ENGINE) > 1 || !eni.backlog.isEmpty() || !eni.assigning.isEmpty();
        if (needed) {
            Failed conflict = new Failed(
                    ErrorKind.CONFLICT,
                    "primary address " + disposal.ip() + " goes with ENI " + eni.id()
                            + ", which has other addresses in use; dispose of those first",
                    Duration.ofSeconds(1));
            fleet.afterwards(() -> result.complete(conflict));
            return;
        }
        if (fleet.minimum.needs(eni)) {
            fleet.minimum.keep(eni);
            fleet.afterwards(() -> result.complete(new Disposed(disposal.id())));
            return;
        }
        eni.addresses().get(disposal.ip()).become(Holder.LEAVING);
        eni.version++;
        eni.retirement = Optional.of(disposal);
        disposal.result().thenAccept(result::complete);
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return fleet.turn(() -> {
            CompletableFuture<List<Resource>> result = new CompletableFuture<>();
            if (unread()) {
                firstList = Optional.of(result);
            }
            read(result);
            return result;
        });
    }

    /** Settles what earlier runs left open, and then reads what there is. */
    private void read(CompletableFuture<List<Resource>> result) {
        unfinished.settle(
                () -> reconciler.list(result),
                failure -> fleet.afterwards(() -> result.completeExceptionally(Reconciler.translated(failure))));
    }

    private interface OnFailure {
        void accept(Failed failure);
    }

    /** Runs a change now if the cloud has been read, else when it has been. */
    private void afterFirstList(Runnable change, OnFailure onFailure) {
        CompletableFuture<List<Resource>> read = firstReading();
        if (read.isDone() && !read.isCompletedExceptionally()) {
            fleet.turn(() -> {
                change.run();
                return true;
            });
            return;
        }
        read.whenComplete((listed, failure) -> fleet.turn(() -> {
            if (failure == null) {
                change.run();
            } else {
                onFailure.accept(unread(failure));
            }
            return true;
        }));
    }

    /** Whether no list has been asked for that may yet succeed or has. */
    private boolean unread() {
        return firstList.isEmpty() || firstList.get().isCompletedExceptionally();
    }

    private CompletableFuture<List<Resource>> firstReading() {
        return fleet.turn(() -> {
            if (unread()) {
                CompletableFuture<List<Resource>> result = new CompletableFuture<>();
                firstList = Optional.of(result);
                read(result);
            }
            return firstList.get();
        });
    }

    private static Failed unread(Throwable failure) {
        Throwable cause =
                failure.getCause() == null || failure instanceof FactoryException ? failure : failure.getCause();
        ErrorKind kind = cause instanceof FactoryException known ? known.kind() : ErrorKind.INTERNAL;
        return new Failed(kind, "this node's ENIs could not be read: " + cause.getMessage(), Duration.ofSeconds(1));
    }

    @Override
    public EniSweeper sweeper() {
        return dryRun -> {
            CompletableFuture<EniSweeper.Report> result = new CompletableFuture<>();
            // A book that nobody has read knows nobody: all there is would look left behind.
            afterFirstList(
                    () -> sweep.run(dryRun, result),
                    failure -> fleet.afterwards(() ->
                            result.completeExceptionally(new FactoryException(failure.kind(), failure.message()))));
            return result;
        };
    }

    @Override
    public void sweepRegularly() {
        fleet.turn(() -> {
            sweep.regularly(() -> sweeper().sweep(false));
            return true;
        });
    }

    @Override
    public EniDirectory directory() {
        int limit = fleet.settings.perEni();
        return new EniDirectory() {
            @Override
            public List<Eni> enis() {
                return fleet.read(() -> fleet.enis().stream()
                        .map(eni -> eni.view(limit))
                        .sorted(Comparator.comparing(Eni::id))
                        .toList());
            }

            @Override
            public Duration lag() {
                return fleet.read(fleet.lag::settled);
            }
        };
    }

    @Override
    public void choose(List<VSwitch> vswitches, VSwitchPolicy policy) {
        fleet.turn(() -> {
            fleet.vswitches.prefer(vswitches, policy);
            return true;
        });
    }

    @Override
    public void lostEnis(LostEni policy) {
        fleet.turn(() -> {
            fleet.lostEni = policy;
            return true;
        });
    }

    @Override
    public void leave() {
        fleet.turn(() -> {
            fleet.leave();
            return true;
        });
    }

    @Override
    public void close() {
        fleet.turn(() -> {
            fleet.close();
            return true;
        });
    }
}

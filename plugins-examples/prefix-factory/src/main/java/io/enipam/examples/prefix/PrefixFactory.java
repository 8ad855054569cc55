package io.enipam.examples.prefix;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Codec;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Journal;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.Row;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Table;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cloud.CloudInstance;
import io.enipam.sdk.cloud.Eni;
import io.enipam.sdk.cloud.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The factory {@code prefix}: addresses of /28 prefixes on ENIs of its own. A prefix is sixteen addresses for one call of the cloud
 * and for one address of what an ENI may have.
 *
 * <p><b>Truth.</b> The cloud says which prefixes there are; the table {@code addresses} says which of their addresses are out, each
 * with the token it was asked for by. An address is in the table before it is delivered. A prefix that the cloud has lost takes its
 * addresses out of {@link #list}; their rows go as they are disposed of. What a crash leaves is found by the next list: a prefix
 * that was assigned and not noted is used, an ENI that was made and not attached is swept by the daemon.
 *
 * <p><b>One thread.</b> The {@link PrefixBook} is touched by one thread of the factory's own. Calls of the cloud and of the table are
 * never waited for: what follows them runs on that thread. One thing at a time grows ({@link PrefixGrowth}) or goes back
 * ({@link PrefixReturn}).
 *
 * <p>Thread-safe. After {@link #close} every request fails with {@link ErrorKind#UNAVAILABLE}.
 */
final class PrefixFactory implements ResourceFactory {
    /** Its name in {@code pool.factory}. */
    static final String NAME = "prefix";

    /** What its ENIs are called in the cloud. */
    static final String LABEL = "prefixes";

    /** By address: token and prefix. */
    private static final Table<String> ADDRESSES = new Table<>("addresses", 1, Codec.text());

    private static final Duration OPENING = Duration.ofSeconds(8);
    private static final Duration ANSWERING = Duration.ofSeconds(3);
    private static final Duration CHANGE = Duration.ofSeconds(40);
    private static final int MOST_ROWS = 500;

    private record Waiting(CreateRequest request, CompletableFuture<CreateResult> result) {}

    /** @param fresh whether no earlier request with the same token has got the address */
    private record Served(String address, Waiting waiting, boolean fresh) {}

    private final Cloud cloud;
    private final Journal journal;
    private final Clock clock;
    private final Limits limits;
    private final OwnThread thread = new OwnThread();
    private final PrefixBook book = new PrefixBook();
    private final PrefixGrowth growth;
    private final PrefixReturn returns;
    private final List<Waiting> waiting = new ArrayList<>();
    private boolean read;

    /**
     * @param enis ENIs for prefixes at one time
     * @param prefixes on each
     * @param spare prefixes without an address that are kept
     */
    record Limits(int enis, int prefixes, int spare) {
        static Limits of(Settings settings, CloudInstance.Limits type) {
            int enis = settings.get(PrefixPlugin.MAX_ENIS);
            int prefixes = settings.get(PrefixPlugin.PREFIXES_PER_ENI);
            // the primary ENI is not ours, and each ENI has a primary address
            int mostEnis = Math.max(0, type.enis() - 1);
            int mostPrefixes = Math.max(0, type.ipv4PerEni() - 1);
            return new Limits(
                    enis == 0 ? mostEnis : Math.min(enis, mostEnis),
                    prefixes == 0 ? mostPrefixes : Math.min(prefixes, mostPrefixes),
                    settings.get(PrefixPlugin.SPARE_PREFIXES));
        }

        int addresses() {
            return enis * prefixes * PrefixBook.SIZE;
        }
    }

    private PrefixFactory(PluginContext context, Cloud cloud, Limits limits) {
        this.cloud = cloud.within(CHANGE);
        this.journal = context.journal();
        this.clock = context.clock();
        this.limits = limits;
        journal.open(ADDRESSES);
        growth = new PrefixGrowth(this.cloud, book, limits, clock, thread);
        returns = new PrefixReturn(this.cloud, book, limits.spare, clock, thread);
    }

    /** @throws FactoryException if the cloud does not say what this instance is */
    static PrefixFactory open(PluginContext context, Cloud cloud) {
        Outcome<CloudInstance> instance = wait(cloud.within(OPENING).instance().toCompletableFuture(), OPENING);
        Limits limits = instance.fold(found -> Limits.of(context.settings(), found.limits()), notDone -> {
            throw new FactoryException(
                    notDone.failure().kind(), notDone.failure().message());
        });
        if (limits.addresses() == 0) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED, "this instance type allows no prefix on an ENI of its own");
        }
        return new PrefixFactory(context, cloud, limits);
    }

    @Override
    public ResourceKind kind() {
        return ResourceKind.ENI_IP;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(
                Set.of(Family.IPV4), limits.addresses(), PrefixBook.MOST_A_CALL * PrefixBook.SIZE, true);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        List<Waiting> asked = requests.stream()
                .map(request -> new Waiting(request, new CompletableFuture<>()))
                .toList();
        Consumer<Failed> refuse = failure -> asked.forEach(one -> one.result.complete(failure));
        run(
                () -> afterRead(
                        () -> {
                            waiting.addAll(asked);
                            serve();
                        },
                        refuse),
                refuse);
        return asked.stream()
                .<CompletionStage<CreateResult>>map(Waiting::result)
                .toList();
    }

    /** Serves those that wait out of what there is, and has more prefixes assigned for the others. */
    private void serve() {
        waiting.removeIf(one -> refusal(one.request).map(one.result::complete).orElse(false));
        List<Served> served = new ArrayList<>();
        for (Waiting one : List.copyOf(waiting)) {
            if (served.size() == MOST_ROWS) {
                break;
            }
            String token = one.request.token().value();
            Optional<String> before = book.ofToken(token);
            before.or(() -> book.lend(token)).ifPresent(address -> {
                waiting.remove(one);
                served.add(new Served(address, one, before.isEmpty()));
            });
        }
        if (!served.isEmpty()) {
            deliver(served);
        }
        // a slot that is being freed is waited for: what follows the return serves again
        if (!waiting.isEmpty() && served.size() < MOST_ROWS && !returns.atWork()) {
            growth.grow(waiting.size(), this::serve, failure -> {
                refuseAll(failure);
                shrink();
            });
        }
    }

    private Optional<CreateResult> refusal(CreateRequest request) {
        if (!request.families().equals(Set.of(Family.IPV4))) {
            return Optional.of(Failed.of(
                    ErrorKind.MISCONFIGURED, "asked for " + request.families() + ", prefixes are of IPv4 alone"));
        } else if (!clock.instant().isBefore(request.deadline())) {
            return Optional.of(
                    Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the deadline passed before there was an address"));
        }
        return Optional.empty();
    }

    private void refuseAll(Failed failure) {
        List<Waiting> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(one -> one.result.complete(failure));
    }

    /** Writes who has which address, and says so when that is on the disk; a token that comes again may be on its way there. */
    private void deliver(List<Served> served) {
        Map<String, String> rows = new HashMap<>();
        served.forEach(one ->
                book.lent(one.address).ifPresent(lent -> rows.put(one.address, lent.token() + " " + lent.cidr())));
        thread.then(
                journal.update(tx -> rows.forEach((address, row) -> tx.put(ADDRESSES, address, row))),
                done -> {
                    served.forEach(one -> one.waiting.result.complete(book.resource(one.address)
                            .<CreateResult>map(Created::new)
                            .orElseGet(() -> Failed.of(ErrorKind.UNAVAILABLE, "the cloud has lost its prefix"))));
                    goOn(true);
                },
                failure -> {
                    served.forEach(one -> {
                        if (one.fresh) {
                            book.takeBack(one.address);
                        }
                        one.waiting.result.complete(
                                Failed.of(ErrorKind.UNAVAILABLE, "the table was not written: " + failure));
                    });
                    goOn(false);
                },
                // the same token gets the same address of the next factory, if the table has it
                () -> served.forEach(one -> one.waiting.result.complete(closed())));
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        List<CompletableFuture<DisposeResult>> results = resources.stream()
                .map(resource -> new CompletableFuture<DisposeResult>())
                .toList();
        Consumer<Failed> refuse = failure -> results.forEach(result -> result.complete(failure));
        run(
                () -> afterRead(
                        () -> {
                            List<String> addresses = resources.stream()
                                    .filter(resource -> resource.kind().equals(kind()))
                                    .map(resource -> resource.addresses().get(0).host())
                                    .toList();
                            thread.then(
                                    journal.update(tx -> addresses.forEach(address -> tx.delete(ADDRESSES, address))),
                                    done -> {
                                        addresses.forEach(book::takeBack);
                                        for (int i = 0; i < results.size(); i++) {
                                            results.get(i)
                                                    .complete(new Disposed(
                                                            resources.get(i).id()));
                                        }
                                        shrink();
                                    },
                                    failure -> refuse.accept(
                                            Failed.of(ErrorKind.UNAVAILABLE, "the table was not written: " + failure)),
                                    () -> refuse.accept(closed()));
                        },
                        refuse),
                refuse);
        return List.copyOf(results);
    }

    private void shrink() {
        if (!growth.atWork() && waiting.isEmpty()) {
            returns.begin(this::goOn);
        }
    }

    /** @param more whether there may be more to give back */
    private void goOn(boolean more) {
        if (!waiting.isEmpty()) {
            serve();
        } else if (more) {
            shrink();
        }
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        CompletableFuture<List<Resource>> result = new CompletableFuture<>();
        Consumer<Failed> refuse =
                failure -> result.completeExceptionally(new FactoryException(failure.kind(), failure.message()));
        run(
                () -> readCloud(
                        () -> {
                            result.complete(book.resources());
                            shrink();
                        },
                        refuse),
                refuse);
        return result;
    }

    private void afterRead(Runnable change, Consumer<Failed> otherwise) {
        if (read) {
            change.run();
        } else {
            readCloud(change, otherwise);
        }
    }

    private void readCloud(Runnable change, Consumer<Failed> otherwise) {
        thread.then(
                cloud.enis(),
                outcome -> outcome.fold(
                        enis -> {
                            homes(enis, change, otherwise);
                            return true;
                        },
                        notDone -> {
                            otherwise.accept(notDone.failure());
                            return false;
                        }),
                () -> otherwise.accept(closed()));
    }

    /** Asks about the vSwitches of ENIs one after the other, and takes over all of it. */
    private void homes(List<Eni> enis, Runnable change, Consumer<Failed> otherwise) {
        List<Eni> used = enis.stream()
                .filter(eni -> eni.label().equals(LABEL) && eni.status() == Eni.Status.IN_USE)
                .toList();
        Optional<String> unknown = used.stream()
                .map(Eni::vSwitch)
                .filter(id -> !growth.homes().containsKey(id))
                .findFirst();
        if (unknown.isPresent()) {
            thread.then(
                    cloud.vSwitch(unknown.get()),
                    outcome -> outcome.fold(
                            home -> {
                                growth.homes().put(home.id(), home);
                                homes(enis, change, otherwise);
                                return true;
                            },
                            notDone -> {
                                otherwise.accept(notDone.failure());
                                return false;
                            }),
                    () -> otherwise.accept(closed()));
            return;
        }
        if (!read) {
            List<Row<String>> rows = journal.read(tx -> tx.scan(ADDRESSES, "").toList());
            rows.forEach(row -> {
                String[] parts = row.value().split(" ");
                book.restore(row.key(), parts[0], parts[1]);
            });
            read = true;
        }
        book.read(used, growth.homes(), clock.instant());
        change.run();
    }

    /** What {@code plugin run prefix-factory prefixes} shows. */
    List<List<String>> table() {
        CompletableFuture<List<List<String>>> rows = new CompletableFuture<>();
        run(
                () -> rows.complete(book.prefixes().stream()
                        .map(prefix -> List.of(
                                prefix.cidr,
                                prefix.nic.id,
                                prefix.nic.home.id(),
                                Integer.toString(prefix.lent),
                                Integer.toString(PrefixBook.SIZE - prefix.lent),
                                prefix.leaving ? "leaving" : "-"))
                        .toList()),
                failure -> rows.completeExceptionally(new FactoryException(failure.kind(), failure.message())));
        return wait(rows, ANSWERING);
    }

    @Override
    public void close() {
        thread.run(() -> refuseAll(closed()), () -> {});
        thread.close();
    }

    private static Failed closed() {
        return Failed.of(ErrorKind.UNAVAILABLE, "the prefix factory is closed");
    }

    private void run(Runnable work, Consumer<Failed> ifClosed) {
        thread.run(work, () -> ifClosed.accept(closed()));
    }

    private static <T> T wait(CompletableFuture<T> coming, Duration patience) {
        try {
            return coming.get(patience.toMillis() + 500, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof FactoryException known
                    ? known
                    : new FactoryException(ErrorKind.INTERNAL, "the factory could not answer: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new FactoryException(ErrorKind.DEADLINE_EXCEEDED, "the cloud does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FactoryException(ErrorKind.UNAVAILABLE, "interrupted while the cloud was asked", e);
        }
    }
}

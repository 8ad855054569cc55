package io.enipam.etcd;

import com.google.protobuf.ByteString;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Leadership;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.etcd.CommitLanes.Outcome;
import io.enipam.etcd.EtcdClient.Member;
import io.enipam.etcd.EtcdFailure.Reaction;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Source.Sink;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of all plugins in etcd, 3.4 or later, which any number of clients may share. Thread-safe.
 *
 * <p>Each member has to take requests of 4 MiB ({@code --max-request-bytes}): as many as a commit within the bounds of
 * {@link Journal} may have, in which each of 1 Mi characters takes up to three bytes. All other limits may be etcd's defaults.
 *
 * <p>A commit that etcd has not answered when the patience of the settings is over fails with
 * {@link ErrorKind#DEADLINE_EXCEEDED}: whether it was written is not known then. A commit that fails with any other kind was not
 * written. Functions and queries wait for etcd on the thread that they run on.
 */
public final class EtcdJournals implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EtcdJournals.class);
    private static final int REQUEST_BYTES = Integer.parseInt(EtcdFailure.REQUEST_BYTES);
    /** What etcd takes beyond the bytes of a request, for the message around it. */
    private static final int AROUND = 512 << 10;

    private final EtcdClient client;
    private final EtcdKeys keys;
    private final CommitLanes lanes;
    private final Scheduler scheduler;
    private final TimeSource time;
    private final RandomGenerator random; // by itself

    private EtcdJournals(
            EtcdClient client,
            EtcdKeys keys,
            String owner,
            Scheduler scheduler,
            TimeSource time,
            RandomGenerator random) {
        this.client = client;
        this.keys = keys;
        this.lanes = new CommitLanes(client, keys, owner, scheduler);
        this.scheduler = scheduler;
        this.time = time;
        this.random = random;
    }

    /**
     * Connects, and checks the members that answer. Blocks for the patience of the settings at most, and for 10 s for each member.
     *
     * @param scheduler of the pauses between tries; outlives what is returned
     * @param random for the jitter of the pauses, and for the client's name: seeded so that no two clients have the same numbers
     * @throws JournalException {@link ErrorKind#UNAVAILABLE} if no member answers; {@link ErrorKind#UNAUTHORIZED} if it refuses
     *     the user or the certificate; {@link ErrorKind#MISCONFIGURED} if a member is older than 3.4 or takes too small requests
     */
    public static EtcdJournals connect(
            EtcdSettings settings, Scheduler scheduler, TimeSource time, RandomGenerator random) {
        EtcdClient client = new EtcdClient(settings, scheduler, time, random);
        try {
            EtcdKeys keys = new EtcdKeys(settings.prefix());
            // through all that a call does: log in, another member, a quorum, the right to read
            answered(client.call(
                    KVGrpc.getRangeMethod(),
                    RangeRequest.newBuilder()
                            .setKey(keys.rows(""))
                            .setRangeEnd(EtcdKeys.end(keys.rows("")))
                            .setCountOnly(true)
                            .build()));
            client.members().forEach(member -> check(client, keys, member));
            String owner = HexFormat.of().toHexDigits(random.nextLong())
                    + HexFormat.of().toHexDigits(random.nextLong());
            return new EtcdJournals(client, keys, owner, scheduler, time, random);
        } catch (RuntimeException | Error e) {
            client.close();
            throw e;
        }
    }

    /**
     * The tables of one plugin.
     *
     * @param plugin its id
     * @param threads runs the plugin's functions when they are to run again, where they wait for etcd, and completes its stages:
     *     never on the thread that gives it the task
     */
    public Journal of(String plugin, Executor threads) {
        return new EtcdJournal(this, plugin, threads);
    }

    /**
     * Which of the replicas below the prefix leads. To be closed before this is.
     *
     * @param replica this one's name, for the others; need not differ from theirs
     */
    public Leadership leadership(String replica) {
        return leadership(replica, EtcdLeadership.LEASE);
    }

    Leadership leadership(String replica, Duration lease) {
        return new EtcdLeadership(client, keys.leader(), replica, lease, scheduler, time).begun();
    }

    // ---- checks of a member

    private static void check(EtcdClient client, EtcdKeys keys, Member member) {
        try {
            String version = once(client, member, MaintenanceGrpc.getStatusMethod(), StatusRequest.getDefaultInstance())
                    .getVersion();
            if (!isRecent(version)) {
                throw new JournalException(
                        ErrorKind.MISCONFIGURED,
                        "etcd at " + member.endpoint() + " has version " + version + "; 3.4 or later is needed");
            }
            // only looks: the largest message that a member takes says what requests it takes
            once(client, member, KVGrpc.getTxnMethod(), large(keys));
        } catch (EtcdException e) {
            if (e.failure().reaction() != Reaction.REPEAT) {
                throw e;
            }
            LOG.warn("{}; it is not checked", e.getMessage());
        }
    }

    private static boolean isRecent(String version) {
        String[] parts = version.split("\\.");
        int major = Integer.parseInt(parts[0]);
        return major > 3 || major == 3 && Integer.parseInt(parts[1]) >= 4;
    }

    /** A transaction that compares a value with a key that there is not, and does nothing in either case. */
    private static TxnRequest large(EtcdKeys keys) {
        return TxnRequest.newBuilder()
                .addCompare(Compare.newBuilder()
                        .setKey(keys.lane("none"))
                        .setTarget(Compare.CompareTarget.VALUE)
                        .setValue(ByteString.copyFrom(new byte[REQUEST_BYTES + AROUND - 256])))
                .build();
    }

    private static <Q, A> A once(EtcdClient client, Member member, MethodDescriptor<Q, A> method, Q request) {
        return answered(client.once(member, method, request)
                .exceptionallyCompose(error -> CompletableFuture.failedFuture(EtcdFailure.of(Stages.cause(error))
                        .exception(List.of(member.endpoint()), Stages.cause(error), false))));
    }

    private static <A> A answered(CompletableFuture<A> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : e;
        }
    }

    // ---- for the journals

    EtcdClient client() {
        return client;
    }

    EtcdKeys keys() {
        return keys;
    }

    EtcdRows rows() {
        return new EtcdRows(client, keys);
    }

    /** Tells the keys of the rows whose path begins with a text, from a revision on. */
    EtcdWatch watch(String path, long next, Sink sink, Executor threads) {
        return new EtcdWatch(client, keys.rows(path), next, sink, threads, scheduler).begun();
    }

    CompletableFuture<Outcome> commit(CommitRequest request) {
        return lanes.commit(request);
    }

    CompletableFuture<Void> pause(Backoff pauses, int number) {
        synchronized (random) {
            return Stages.pause(pauses.pause(number, random), scheduler);
        }
    }

    /** Ends commits on their way with a failure, and closes the connections. */
    @Override
    public void close() {
        lanes.close();
        client.close();
    }
}

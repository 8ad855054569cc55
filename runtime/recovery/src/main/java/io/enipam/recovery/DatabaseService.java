package io.enipam.recovery;

import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.IpamEngine;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.NodeIdentity;
import io.enipam.engine.model.NodeIdentity.NodeRecord;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.engine.port.TimeSource;
import io.enipam.sdk.ResourceState;
import io.enipam.store.DatabaseFileException;
import io.enipam.store.DatabaseTools;
import io.enipam.store.DatabaseTools.Backup;
import io.enipam.store.DatabaseTools.Compaction;
import io.enipam.store.DatabaseTools.NodeName;
import io.enipam.store.DatabaseTools.RestorePlan;
import io.enipam.store.DatabaseTools.RestoreRequest;
import io.enipam.store.StoreException;
import io.enipam.store.Verification;
import io.enipam.store.Verification.Check;
import io.enipam.store.Verification.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the tools of the database are asked for: one thing at a time, on one thread. Thread-safe. Every future that
 * fails, fails with {@link IpamException}.
 */
public final class DatabaseService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseService.class);

    private final Optional<DatabaseTools> tools;
    private final ResourceDb db;
    private final PoolAgreement agreement;
    private final String node;
    private final Path spool;
    private final Path run;
    private final Runnable restart;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(DaemonThreads.named("database-tools"));

    /**
     * @param tools empty if this database has none
     * @param spool a directory for files that are sent here
     * @param run the directory of locks and sockets, of which no file is read for a caller
     * @param restart closes everything and starts anew; returns at once
     */
    public DatabaseService(
            Optional<DatabaseTools> tools,
            ResourceDb db,
            IpamEngine engine,
            TimeSource time,
            String node,
            Path spool,
            Path run,
            Runnable restart) {
        this.tools = tools;
        this.db = db;
        this.agreement = new PoolAgreement(engine, db, time);
        this.node = node;
        this.spool = spool;
        this.run = run;
        this.restart = restart;
    }

    /** All records of one moment, ordered by bucket and key: what an operator looks at. */
    public List<ResourceDb.RawRecord> records() {
        return tools.map(DatabaseTools::records).orElseGet(db::records);
    }

    /** Looks whether the files are sound, the records make sense, and the pool says the same. */
    public CompletableFuture<Verification> verify() {
        return soon(() -> {
            Verification files = theTools().verify();
            PoolAgreement.Agreement pool = agreement.look();
            List<Verification.Check> checks = new ArrayList<>(files.checks());
            checks.addAll(pool.checks());
            List<Verification.Problem> problems = new ArrayList<>(files.problems());
            problems.addAll(pool.problems());
            return new Verification(files.generation(), checks, problems);
        });
    }

    public CompletableFuture<Backup> backup(Path file, boolean replace) {
        return soon(() -> theTools().backup(file, name(), replace));
    }

    public Iterator<byte[]> export() {
        return theTools().export(name());
    }

    /**
     * Restores. Unless it is a dry run, the daemon begins to close when the future completes, and starts anew on what
     * was staged; answers that are due still go out. A caller who went away meanwhile changes nothing in that.
     *
     * @param of the request, by this node's name
     */
    public CompletableFuture<RestorePlan> restore(Function<NodeName, RestoreRequest> of) {
        return soon(() -> {
            RestoreRequest request = of.apply(name());
            refuseOfRun(request);
            RestorePlan plan = theTools().restore(request);
            if (!request.dryRun()) {
                restart.run();
            }
            return plan;
        });
    }

    /** To open and to close the file of a lock would drop the lock of the whole process. */
    private void refuseOfRun(RestoreRequest request) {
        boolean within;
        try {
            within = request.file().toRealPath().startsWith(run.toRealPath());
        } catch (IOException e) {
            return; // it is not there, and opening it says so
        }
        if (within) {
            throw DatabaseFileException.refused(
                    request.shown() + " cannot be taken: it is in " + run
                            + ", where enipamd keeps its locks and sockets",
                    "name a file that 'db backup' or 'db export' wrote");
        }
    }

    public CompletableFuture<Compaction> compact() {
        return soon(() -> theTools().compact());
    }

    /** Where a file may be put that is sent here. */
    public Path spool() {
        return spool;
    }

    private NodeName name() {
        Optional<NodeIdentity> machine = db.contents().node().flatMap(NodeRecord::identity);
        return new NodeName(node, machine.map(NodeIdentity::instanceId).orElse(""));
    }

    private DatabaseTools theTools() {
        return tools.orElseThrow(
                () -> new IpamException(ErrorCode.INTERNAL, "this database is in memory alone", "use one on disk"));
    }

    private <T> CompletableFuture<T> soon(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(() -> translated(work), thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new IpamException(ErrorCode.TRY_AGAIN, "the daemon is stopping", "try again when it is up", e));
        }
    }

    private static <T> T translated(Supplier<T> work) {
        try {
            return work.get();
        } catch (DatabaseFileException e) {
            ErrorCode code = switch (e.reason()) {
                case REFUSED -> ErrorCode.INVALID_ARGUMENT;
                case NOT_AGREED -> ErrorCode.NOT_AGREED;
                case FAILED -> ErrorCode.STORE_FAILED;
            };
            throw new IpamException(code, String.valueOf(e.getMessage()), e.hint(), e);
        } catch (StoreException e) {
            throw new IpamException(ErrorCode.STORE_FAILED, String.valueOf(e.getMessage()), e.hint(), e);
        }
    }

    /** Takes nothing new, and waits a minute at most for what it does: the next opener shall find the files at rest. */
    @Override
    public void close() throws InterruptedException {
        thread.shutdown();
        if (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
            LOG.warn("the database's tools have not come to an end; closing without them");
        }
    }

    /**
     * Whether database and pool agree, by {@link SourceComparison#databaseAndPool}, and whether nothing pending is old and belongs to
     * nothing.
     *
     * <p>The two are never read at the same instant, and an ADD or DEL under way changes one before the other. So a difference is a
     * suspicion at first, and a problem only if the same one is seen in every look of twenty, over five seconds.
     */
    record PoolAgreement(IpamEngine engine, ResourceDb db, TimeSource time) {
        private static final int LOOKS = 20;
        private static final Duration PAUSE = Duration.ofMillis(250);
        /** No operation of the cloud takes as long, retries included. */
        private static final Duration OLD = Duration.ofHours(1);

        /** What was looked at and what is wrong; nothing of both while the engine does not serve, or has no pool. */
        record Agreement(List<Check> checks, List<Problem> problems) {
            private static final Agreement NONE = new Agreement(List.of(), List.of());
        }

        Agreement look() {
            if (!serves()) {
                return Agreement.NONE;
            }
            ResourceDb.Contents first = db.contents();
            Set<Problem> suspicions = problems(first);
            for (int look = 1; look < LOOKS && !suspicions.isEmpty(); look++) {
                LockSupport.parkNanos(PAUSE.toNanos());
                suspicions.retainAll(problems(db.contents()));
            }
            if (!serves()) {
                return Agreement.NONE; // it stopped meanwhile: what was seen means nothing
            }
            int pending = first.intents().size() + first.operations().size();
            return new Agreement(
                    List.of(
                            new Check("leases", first.leases().size(), "leases"),
                            new Check("holds", first.holds().size(), "holds"),
                            new Check("operations", pending, "pending")),
                    List.copyOf(suspicions));
        }

        private boolean serves() {
            return engine.hasPool() && engine.status().phase() == EngineStatus.Phase.READY;
        }

        private Set<Problem> problems(ResourceDb.Contents contents) {
            PoolView pool = engine.pool();
            Instant now = time.now();
            Instant old = now.minus(OLD);
            Set<Problem> problems = new LinkedHashSet<>();
            SourceComparison.databaseAndPool(contents, pool, now).forEach(found -> problems.add(problem(found)));
            contents.intents().stream()
                    .filter(intent -> intent.since().isBefore(old) && !underWay(intent, pool))
                    .forEach(intent -> problems.add(forgotten("intents/" + intent.key(), intent.since())));
            if (pool.summary().count(ResourceState.CREATING) == 0
                    && pool.summary().count(ResourceState.DISPOSING) == 0) {
                contents.operations().stream()
                        .filter(operation -> operation.since().isBefore(old))
                        .forEach(operation ->
                                problems.add(forgotten("operations/" + operation.id(), operation.since())));
            }
            return problems;
        }

        private static Problem problem(Difference found) {
            String says = found.says().entrySet().stream()
                    .map(said -> said.getKey() + ": " + said.getValue())
                    .collect(Collectors.joining("; "));
            return new Problem(
                    found.kind() == Kind.HOLD_DIFFERS ? "holds" : "leases",
                    (found.kind() == Kind.LEASE_NOT_IN_POOL ? "leases/" : "") + found.subject(),
                    OptionalLong.empty(),
                    found.what() + " (" + says + ")");
        }

        private static boolean underWay(Intent intent, PoolView pool) {
            return intent.action() == Intent.Action.CREATE
                    ? pool.summary().count(ResourceState.CREATING) > 0
                    : pool.entries().stream()
                            .anyMatch(entry -> entry.state() == ResourceState.DISPOSING
                                    && entry.resource().id().value().equals(intent.token()));
        }

        private static Problem forgotten(String where, Instant since) {
            return new Problem(
                    "operations",
                    where,
                    OptionalLong.empty(),
                    "it was begun " + since + " and nothing in the pool waits for it");
        }
    }
}

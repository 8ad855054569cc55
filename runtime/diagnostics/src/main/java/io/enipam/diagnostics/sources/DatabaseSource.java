package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** The rows of the resource database: what the next start would know. */
public final class DatabaseSource extends Source<ResourceDb.Contents> {
    private final ResourceDb db;

    public DatabaseSource(ResourceDb db) {
        super(DATABASE, ResourceDb.Contents.class, Duration.ofSeconds(2));
        this.db = db;
    }

    @Override
    public CompletionStage<ResourceDb.Contents> ask() {
        return CompletableFuture.completedFuture(db.contents());
    }

    @Override
    public List<Statement> statements(ResourceDb.Contents answer) {
        return Stream.of(
                        answer.leases().stream().map(DatabaseSource::lease),
                        answer.holds().stream().map(DatabaseSource::hold),
                        answer.intents().stream().map(DatabaseSource::intent),
                        answer.operations().stream().map(DatabaseSource::operation))
                .flatMap(all -> all)
                .toList();
    }

    private static Statement lease(Lease lease) {
        return Statement.of(
                Topic.LEASE,
                lease.resource(),
                Optional.of(lease.owner()),
                Optional.of(lease.pod()),
                "LEASED",
                Optional.of(lease.since()),
                "leased to pod " + lease.pod() + ", container " + lease.owner().containerId());
    }

    private static Statement hold(Hold hold) {
        return Statement.of(
                Topic.HOLD,
                hold.resource(),
                Optional.empty(),
                Optional.of(hold.pod()),
                hold.purpose().name(),
                Optional.empty(),
                (hold.purpose() == Hold.Purpose.RESERVED ? "reserved for pod " : "cooling after pod ") + hold.pod());
    }

    private static Statement intent(Intent intent) {
        return Statement.of(
                Topic.OPERATION,
                Set.of(),
                "",
                intent.action().name(),
                Optional.of(intent.since()),
                intent.action().name().toLowerCase(Locale.ROOT) + " of " + intent.token() + " is pending");
    }

    private static Statement operation(CloudJournal.Entry entry) {
        CloudOperation operation = entry.operation();
        return Statement.of(
                Topic.OPERATION,
                operation instanceof CloudOperation.Unassign unassign ? Statement.hosts(unassign.ips()) : Set.of(),
                operation instanceof CloudOperation.Create ? "" : operation.subject(),
                operation.name(),
                Optional.of(entry.since()),
                operation.name() + " of " + operation.subject() + " was begun and is not known to be over");
    }
}

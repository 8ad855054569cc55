package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Saying.Topic;
import io.enipam.engine.model.Hold;
import io.enipam.engine.model.Lease;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.ResourceDb;
import io.enipam.engine.port.ResourceDb.Intent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The rows of the resource database: what the next start would know. */
public final class DatabaseSource implements Source<ResourceDb.Contents> {
    private final ResourceDb db;

    public DatabaseSource(ResourceDb db) {
        this.db = db;
    }

    @Override
    public String name() {
        return "database";
    }

    @Override
    public Class<ResourceDb.Contents> type() {
        return ResourceDb.Contents.class;
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(2);
    }

    @Override
    public CompletionStage<ResourceDb.Contents> ask() {
        return CompletableFuture.completedFuture(db.contents());
    }

    @Override
    public List<Saying> sayings(ResourceDb.Contents told) {
        List<Saying> all = new ArrayList<>();
        told.leases().forEach(lease -> all.add(lease(lease)));
        told.holds().forEach(hold -> all.add(hold(hold)));
        told.intents().forEach(intent -> all.add(intent(intent)));
        told.operations().forEach(operation -> all.add(operation(operation)));
        return all;
    }

    private static Saying lease(Lease lease) {
        return new Saying(
                Topic.LEASE,
                lease.resource().id().value(),
                Saying.hosts(lease.resource()),
                Saying.eniOf(lease.resource()),
                Optional.of(lease.owner()),
                Optional.of(lease.pod()),
                "LEASED",
                Optional.of(lease.since()),
                "leased to pod " + lease.pod() + ", container " + lease.owner().containerId());
    }

    private static Saying hold(Hold hold) {
        return new Saying(
                Topic.HOLD,
                hold.resource().id().value(),
                Saying.hosts(hold.resource()),
                Saying.eniOf(hold.resource()),
                Optional.empty(),
                Optional.of(hold.pod()),
                hold.purpose().name(),
                Optional.empty(),
                (hold.purpose() == Hold.Purpose.RESERVED ? "reserved for pod " : "cooling after pod ") + hold.pod());
    }

    private static Saying intent(Intent intent) {
        return new Saying(
                Topic.OPERATION,
                intent.token(),
                Set.of(),
                "",
                Optional.empty(),
                Optional.empty(),
                intent.action().name(),
                Optional.of(intent.since()),
                intent.action().name().toLowerCase(Locale.ROOT) + " of " + intent.token() + " is pending");
    }

    private static Saying operation(CloudJournal.Entry entry) {
        CloudOperation operation = entry.operation();
        return new Saying(
                Topic.OPERATION,
                entry.id(),
                operation instanceof CloudOperation.Unassign unassign ? Saying.hosts(unassign.ips()) : Set.of(),
                operation instanceof CloudOperation.Create ? "" : operation.subject(),
                Optional.empty(),
                Optional.empty(),
                operation.name(),
                Optional.of(entry.since()),
                operation.name() + " of " + operation.subject() + " was begun and is not known to be over");
    }
}

package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.eni.EniOperation.Goal;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.EniSweeper.Candidate;
import io.enipam.engine.port.EniSweeper.Report;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last net under everything else: ENIs that carry this node's tags, hang on nothing, are in no registry, have no
 * address of a pod and are older than {@link SweepRule#MINIMUM_AGE} go. All methods run inside a turn of the fleet.
 *
 * <p><b>Never a fresh one.</b> An ENI whose create has not been answered yet looks exactly like one that was left
 * behind. Its age distinguishes them, and so does the journal: while the outcome of any create is open, nothing is
 * taken.
 *
 * <p><b>Only its own.</b> The node tag names the instance, so no two nodes can take each other's. What a deleted
 * instance left behind therefore stays: no node can distinguish a node that is gone from one that it may not see.
 */
record OrphanedEniSweeper(EniRegistry fleet) {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedEniSweeper.class);

    /**
     * @param lent IPv4 addresses that pods have
     * @param createOpen whether a create's outcome was open before the cloud was read
     * @param time the cloud's, if it says
     */
    private record Seen(List<NetworkInterface> enis, Set<String> lent, boolean createOpen, Optional<Instant> time) {}

    /** Sweeps after a pause, and then every hour, until the factory is closed. One that fails is tried again earlier. */
    void schedule(Duration pause, Supplier<? extends CompletionStage<Report>> sweep) {
        fleet.schedule(
                pause, () -> fleet.defer(() -> sweep.get().whenComplete((report, failure) -> again(failure, sweep))));
    }

    private void again(@Nullable Throwable failure, Supplier<? extends CompletionStage<Report>> sweep) {
        boolean closed = fleet.update(() -> {
            schedule(failure == null ? SweepRule.EVERY : SweepRule.AFTER_FAILURE, sweep);
            return fleet.closed;
        });
        if (failure != null && !closed) {
            String why = Stages.cause(failure).getMessage();
            long minutes = SweepRule.AFTER_FAILURE.toMinutes();
            LOG.warn("the cloud could not be swept: {}; the next try is in {} min", why, minutes);
        }
    }

    void run(boolean dryRun, CompletableFuture<Report> result) {
        Instant startedAt = fleet.now();
        long startedNanos = fleet.nanos();
        Set<String> before = fleet.enis().stream().map(Eni::id).collect(Collectors.toSet());
        fleet.cloud.call(
                this::ask,
                seen -> {
                    List<Candidate> candidates = judge(seen, before, dryRun);
                    Duration took = Duration.ofNanos(fleet.nanos() - startedNanos);
                    Report report =
                            new Report(startedAt, took, dryRun, seen.enis().size(), candidates);
                    fleet.defer(() -> result.complete(report));
                },
                failure -> fleet.defer(() -> result.completeExceptionally(failure.asFactoryException())));
    }

    private Seen ask(EcsApi cloud) {
        boolean createOpen = fleet.cloud.open().stream()
                .map(CloudJournal.Entry::operation)
                .anyMatch(CloudOperation.Create.class::isInstance);
        List<NetworkInterface> enis = cloud
                .describeNetworkInterfaces(fleet.settings.spec().ownTags())
                .stream()
                .filter(NetworkInterface::secondary)
                .toList();
        boolean unknown = enis.stream()
                .anyMatch(eni -> fleet.read(() -> fleet.eni(eni.id()).isEmpty()));
        Set<String> lent = unknown ? EniRefresher.lent(fleet.known.read()) : Set.of();
        Optional<Instant> time = cloud.clockAhead().map(fleet.now()::plus);
        return new Seen(enis, lent, createOpen, time);
    }

    private List<Candidate> judge(Seen seen, Set<String> before, boolean dryRun) {
        List<Candidate> candidates = new ArrayList<>();
        for (NetworkInterface eni : seen.enis()) {
            // what was in the registry when the cloud was asked and no longer is has gone meanwhile: the answer is old
            if (fleet.eni(eni.id()).isPresent() || before.contains(eni.id())) {
                continue;
            }
            Optional<Duration> age = SweepRule.age(eni, seen.time().orElseGet(fleet::now));
            Optional<String> keep = reasonToKeep(eni, age, seen);
            if (keep.isEmpty() && !dryRun) {
                take(eni, age.orElseThrow());
            }
            candidates.add(SweepRule.candidate(eni, age, keep, "nobody knows it"));
        }
        candidates.sort(Comparator.comparing(Candidate::id));
        return candidates;
    }

    private static Optional<String> reasonToKeep(NetworkInterface eni, Optional<Duration> age, Seen seen) {
        Optional<String> keep = SweepRule.reasonToKeep(eni, age, seen.time().isPresent());
        if (keep.isPresent()) {
            return keep;
        } else if (eni.ips().stream().anyMatch(seen.lent()::contains)) {
            return Optional.of("pods of this node have addresses of it");
        }
        return seen.createOpen() ? Optional.of("a create is under way that may have made it") : Optional.empty();
    }

    /** Sends it on the way every ENI goes: written down, looked at, deleted, holding its slot until it is absent. */
    private void take(NetworkInterface seen, Duration age) {
        Eni eni = fleet.eni(seen.id(), seen.vswitchId(), EniState.DELETING, Goal.ABSENT);
        eni.identify(seen);
        fleet.add(eni);
        String text = "ENI " + seen.id() + ": made for this node " + age.toMinutes()
                + "m ago and known to nobody; it is deleted";
        fleet.publish(Severity.WARNING, "EniSwept", seen.id(), text, eni.attributes());
    }
}

package io.enipam.aliyun.lent;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.EniTags;
import io.enipam.aliyun.eni.SweepRule;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.EventSink;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Deletes ENIs that plugins of this node made, that hang on nothing, and that {@link SweepRule} calls old enough. */
public record PluginEniSweeper(EcsApi api, String instance, TimeSource time, EventSink events, Executor calls)
        implements EniSweeper {
    @Override
    public CompletionStage<Report> sweep(boolean dryRun) {
        CompletableFuture<Report> report = new CompletableFuture<>();
        calls.execute(() -> {
            try {
                report.complete(run(dryRun));
            } catch (EcsException e) {
                report.completeExceptionally(e.asFactoryException());
            } catch (RuntimeException e) {
                report.completeExceptionally(e);
            }
        });
        return report;
    }

    private Report run(boolean dryRun) {
        Instant startedAt = time.now();
        long startedNanos = time.nanoTime();
        List<NetworkInterface> enis = api.describeNetworkInterfaces(EniTags.ofPlugins(instance));
        Optional<Instant> cloudTime = api.clockAhead().map(time.now()::plus);
        List<Candidate> candidates = new ArrayList<>();
        for (NetworkInterface eni : enis) {
            if (!eni.instanceId().isEmpty()) {
                continue;
            }
            Optional<Duration> age = SweepRule.age(eni, cloudTime.orElseGet(time::now));
            Optional<String> keep = SweepRule.reasonToKeep(eni, age, cloudTime.isPresent());
            String plugin = eni.origin().tags().getOrDefault(EniTags.PLUGIN, "");
            if (keep.isEmpty() && !dryRun) {
                api.deleteNetworkInterface(eni.id());
                String text = "ENI " + eni.id() + ": made by plugin " + plugin + " "
                        + age.orElse(Duration.ZERO).toMinutes() + "m ago and attached to nothing; it is deleted";
                events.publish(Severity.WARNING, "EniSwept", eni.id(), text, Map.of("plugin", plugin));
            }
            candidates.add(new Candidate(
                    eni.id(),
                    eni.status().label(),
                    eni.vswitchId(),
                    eni.ips(),
                    eni.createdAt(),
                    age,
                    keep.isEmpty(),
                    keep.orElse("plugin " + plugin + " made it and uses it no more")));
        }
        candidates.sort(Comparator.comparing(Candidate::id));
        Duration took = Duration.ofNanos(time.nanoTime() - startedNanos);
        return new Report(startedAt, took, dryRun, enis.size(), candidates);
    }
}

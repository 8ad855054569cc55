package io.enipam.aliyun.lent;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.client.AsyncCalls;
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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes ENIs that plugins of this node made, that hang on nothing, and that {@link SweepRule} calls old enough. */
public record PluginEniSweeper(EcsApi api, String instance, TimeSource time, EventSink events, Executor calls)
        implements EniSweeper {
    private static final Logger LOG = LoggerFactory.getLogger(PluginEniSweeper.class);

    @Override
    public CompletionStage<Report> sweep(boolean dryRun) {
        return AsyncCalls.ask(calls, () -> run(dryRun));
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
                keep = delete(eni, age.orElse(Duration.ZERO), plugin);
            }
            candidates.add(SweepRule.candidate(eni, age, keep, "plugin " + plugin + " made it and uses it no more"));
        }
        candidates.sort(Comparator.comparing(Candidate::id));
        Duration took = Duration.ofNanos(time.nanoTime() - startedNanos);
        return new Report(startedAt, took, dryRun, enis.size(), candidates);
    }

    /** Gives why it stays nevertheless: one that the cloud does not delete keeps no other from going. */
    private Optional<String> delete(NetworkInterface eni, Duration age, String plugin) {
        try {
            api.deleteNetworkInterface(eni.id());
        } catch (EcsException e) {
            LOG.warn("ENI {} that plugin {} left could not be deleted: {}", eni.id(), plugin, e.getMessage());
            return Optional.of("the cloud did not delete it: " + e.getMessage());
        }
        String text = "ENI " + eni.id() + ": made by plugin " + plugin + " " + age.toMinutes()
                + "m ago and attached to nothing; it is deleted";
        events.publish(Severity.WARNING, "EniSwept", eni.id(), text, Map.of("plugin", plugin));
        return Optional.empty();
    }
}

package io.enipam.daemon;

import io.enipam.aliyun.CloudProbe;
import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;
import io.enipam.diagnostics.doctor.ClockChecks.CloudClock;
import io.enipam.diagnostics.doctor.CloudChecks.CloudCalls;
import io.enipam.diagnostics.doctor.CloudChecks.CloudKeys;
import io.enipam.diagnostics.doctor.CloudChecks.MetadataReply;
import io.enipam.diagnostics.doctor.CloudChecks.VSwitches;
import io.enipam.diagnostics.doctor.Facts.MissingFact;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.diagnostics.sources.NodeSources.KnownEnis;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.EniSweeper;
import io.enipam.node.cloud.CloudAccess;
import io.enipam.sdk.FactoryException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** The cloud's facts for the doctor, from the operators' share of calls. One request at a time; see {@link Probes}. */
final class CloudProbes {
    /** The limit for the metadata service, which is one hop away. */
    private static final Duration METADATA = Duration.ofSeconds(6);

    private final CloudAccess cloud;
    private final ApiCallLog calls;
    private final OperatorQuota share;
    /** The last request to the metadata service, which may hang. */
    private volatile CompletableFuture<String> metadata = CompletableFuture.completedFuture("");

    CloudProbes(CloudAccess cloud, ApiCallLog calls, OperatorQuota share) {
        this.cloud = cloud;
        this.calls = calls;
        this.share = share;
    }

    void addTo(Probes probes) {
        probes.with(KnownEnis.class, () -> new KnownEnis(cloud.enis()))
                .with(EniSweeper.Report.class, this::sweep)
                .with(
                        CloudCalls.class,
                        () -> new CloudCalls(calls.quotaStatus(), calls.calls(), cloud.trouble(), cloud.used()))
                .with(VSwitches.class, this::vswitches)
                .with(CloudProbe.Limits.class, () -> probe().limits())
                .with(CloudKeys.class, this::keys)
                .with(
                        CloudClock.class,
                        () -> new CloudClock(probe().clockAhead()
                                .orElseThrow(() -> new MissingFact("no answer of the cloud has had a date"))))
                .with(MetadataReply.class, this::metadata);
    }

    private EniSweeper.Report sweep() throws InterruptedException, ExecutionException {
        probe();
        take(CloudApi.DESCRIBE_NETWORK_INTERFACES);
        return DoctorModule.get(cloud.sweep(true));
    }

    private VSwitches vswitches() {
        CloudProbe probe = probe();
        take(CloudApi.DESCRIBE_VSWITCHES);
        return new VSwitches(probe.vswitches());
    }

    /** The session to ask, if this node uses the cloud and the cloud has answered. */
    private CloudProbe probe() {
        if (!cloud.used()) {
            throw new MissingFact("no address of this node comes from the cloud");
        }
        return cloud.probe()
                .orElseThrow(
                        () -> new MissingFact(cloud.trouble().orElse("the cloud has not answered since the start")));
    }

    private void take(CloudApi api) {
        try {
            share.take(api, 1);
        } catch (IpamException refusal) {
            throw new MissingFact("cloud: " + refusal.getMessage());
        }
    }

    private CloudKeys keys() {
        try {
            CloudProbe.KeyLife life = probe().keys();
            return new CloudKeys(life.place(), life.expires(), Optional.empty());
        } catch (CredentialsException e) {
            return new CloudKeys("", Optional.empty(), Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private MetadataReply metadata() throws InterruptedException {
        CloudProbe probe = probe();
        if (metadata.isDone()) {
            metadata = aside(probe::metadataInstance);
        }
        try {
            String instance = metadata.get(METADATA.toMillis(), TimeUnit.MILLISECONDS);
            return new MetadataReply(instance, probe.instanceId(), Optional.empty());
        } catch (TimeoutException e) {
            return silent(probe, "no answer within " + METADATA.toSeconds() + " s");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FactoryException refusal) {
                return silent(probe, String.valueOf(refusal.getMessage()));
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private static MetadataReply silent(CloudProbe probe, String why) {
        return new MetadataReply("", probe.instanceId(), Optional.of(why));
    }

    /** On a thread of its own, which may hang after the caller has given up; until it ends, no second one starts. */
    private static <T> CompletableFuture<T> aside(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, DaemonThreads.each("doctor-metadata"));
    }
}

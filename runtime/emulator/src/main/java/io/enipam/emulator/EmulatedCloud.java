package io.enipam.emulator;

import io.enipam.emulator.EmulatorConfig.AccessKey;
import io.enipam.emulator.EmulatorOptions.MetadataSettings;
import io.enipam.emulator.api.Account;
import io.enipam.emulator.api.Action;
import io.enipam.emulator.api.Authenticator;
import io.enipam.emulator.api.Request;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.cloud.CloudStateStore;
import io.enipam.emulator.cloud.CloudStateStore.CloudStateListener;
import io.enipam.emulator.cloud.CloudTime;
import io.enipam.emulator.cloud.EmulatorException;
import io.enipam.emulator.cloud.InitialStateFactory;
import io.enipam.emulator.cloud.LaggingView;
import io.enipam.emulator.cloud.Latency.LatencySampler;
import io.enipam.emulator.control.CloudControl;
import io.enipam.emulator.fault.FaultInjection;
import io.enipam.emulator.fault.FaultInjection.SkewedClock;
import io.enipam.emulator.fault.FaultInjection.StickyEnis;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.http.CallCounts;
import io.enipam.emulator.http.Gateway;
import io.enipam.emulator.http.HttpReply;
import io.enipam.emulator.http.MetadataService;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

/**
 * The emulated ECS and VPC without a socket: the state, how long calls take, flow control, and faults. {@link CloudEmulator}
 * serves it over HTTP; a simulation calls it in its own process and time. With one seed, clock and order of calls its answers
 * are the same. Thread-safe.
 */
public final class EmulatedCloud {
    private final CloudStateStore cloud;
    private final CloudControl control;
    private final Gateway gateway;
    private final LaggingView metadata;
    private final Account account;
    private final SkewedClock skewed;
    private final long seed;

    /**
     * A cloud that nothing outlives: its state is in memory alone. Other clouds may share its account, each with instances of its own. Their
     * calls meet the account in the order of their times, for which the time sees ({@link CloudTime#awaitTurn}).
     *
     * @param config of which the addresses and the state file are not used
     * @param time decides when states end, and passes while calls are served
     * @throws EmulatorException if the first vSwitch is too small for the instances
     */
    public EmulatedCloud(EmulatorConfig config, SharedAccount account, MetadataSettings metadata, CloudTime time) {
        this(
                config,
                account,
                metadata,
                time,
                initial(config, time),
                new Following(state -> {}, CloudStateListener.NONE));
    }

    /**
     * What follows the state.
     *
     * @param saving saves each state before it becomes visible, or throws
     * @param network follows the state before a call is answered
     */
    record Following(Consumer<CloudState> saving, CloudStateListener network) {}

    EmulatedCloud(
            EmulatorConfig config,
            SharedAccount shared,
            MetadataSettings settings,
            CloudTime time,
            CloudState initial,
            Following following) {
        LatencySampler latency = new LatencySampler(config.latency(), config.seed());
        LaggingView described = new LaggingView(initial, latency::ofDescriptions);
        this.metadata = new LaggingView(initial, latency::ofMetadata);
        this.cloud = new CloudStateStore(
                initial,
                time,
                state -> {
                    following.saving().accept(state);
                    metadata.changed(state, time.instant());
                    described.changed(state, time.instant());
                    following.network().changed();
                },
                shared.vswitches().join(initial, time.instant()));
        AccessKey key = config.accessKey();
        this.seed = config.seed();
        this.account = new Account(key.id(), key.secret(), seed, settings.role());
        CallCounts counts = new CallCounts();
        this.skewed = new SkewedClock(time);
        FaultInjection faults =
                new FaultInjection(new FaultPlan(seed, Action.names()), new StickyEnis(), shared.windows());
        this.control = new CloudControl(cloud, faults, latency, config.latency(), account, skewed, counts);
        Authenticator authenticator = new Authenticator(account, skewed);
        this.gateway =
                new Gateway(cloud, described::at, authenticator, latency, counts, faults, time, following.network());
    }

    /** The first state of a configured cloud. */
    static CloudState initial(EmulatorConfig config, InstantSource clock) {
        try {
            return InitialStateFactory.create(
                            config.seed(),
                            config.site().region(),
                            config.site().zones(),
                            config.site().instanceTypes(),
                            config.vswitchSpecs(),
                            clock.instant())
                    .limited(config.quotas());
        } catch (IllegalArgumentException impossible) {
            throw new EmulatorException(impossible.getMessage(), impossible);
        }
    }

    /**
     * Serves a call of this process, whose signature is not checked; the time that it takes passes before this returns.
     *
     * @param request to {@code /}
     */
    public HttpReply answer(Request request) {
        return gateway.answerUnchecked(request);
    }

    Gateway gateway() {
        return gateway;
    }

    /** The metadata service of an instance. */
    MetadataService metadata(String instance, boolean tokenRequired) {
        return new MetadataService(metadata, account, skewed, seed, instance, control.faults(), tokenRequired);
    }

    /** The state of this moment. */
    public CloudState now() {
        return cloud.now();
    }

    /** The instances, in the order of the configured types. */
    public List<String> instanceIds() {
        return now().layout().instances().stream().map(Instance::id).toList();
    }

    /** Controls the cloud in ways that its API does not offer, and counts its calls. */
    public CloudControl control() {
        return control;
    }
}

package io.enipam.emulator;

import io.enipam.emulator.action.Actions;
import io.enipam.emulator.auth.Account;
import io.enipam.emulator.auth.Authenticator;
import io.enipam.emulator.cloud.Cloud;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Genesis;
import io.enipam.emulator.cloud.Instance;
import io.enipam.emulator.cloud.LatencyProfile;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.StickyEnis;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.emulator.fault.ThrottleWindows;
import io.enipam.emulator.http.CallCounts;
import io.enipam.emulator.http.Gateway;
import io.enipam.emulator.http.HttpEndpoint;
import io.enipam.emulator.metadata.LaggingView;
import io.enipam.emulator.metadata.MetadataService;
import io.enipam.emulator.state.StateFile;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** A running emulator of ECS, VPC and the metadata service. Thread-safe. */
public final class CloudEmulator implements AutoCloseable {
    private final Cloud cloud;
    private final CallCounts counts;
    private final FaultPlan faults;
    private final HttpEndpoint api;
    private final HttpEndpoint metadata;

    private CloudEmulator(Cloud cloud, CallCounts counts, FaultPlan faults, HttpEndpoint api, HttpEndpoint metadata) {
        this.cloud = cloud;
        this.counts = counts;
        this.faults = faults;
        this.api = api;
        this.metadata = metadata;
    }

    /**
     * Starts it. If the state file exists, region, zone, instances, vSwitches and ENIs come from it and what the
     * configuration says of them is ignored; everything else always comes from the configuration.
     *
     * @throws EmulatorException if an address is taken, the state file is damaged or cannot be written, or the first
     *     vSwitch is too small for the instances
     */
    public static CloudEmulator start(EmulatorConfig config) {
        return start(config, Clock.systemUTC());
    }

    /** The same with a clock of the caller's, which decides when states end and what time signatures are checked by. */
    static CloudEmulator start(EmulatorConfig config, InstantSource clock) {
        Optional<StateFile> file = config.stateFile().map(StateFile::new);
        Optional<CloudState> saved = file.flatMap(StateFile::load);
        CloudState initial = saved.orElseGet(() -> begin(config, clock));
        if (saved.isEmpty()) {
            file.ifPresent(fresh -> fresh.save(initial));
        }
        LatencyProfile latency = switch (config.latency()) {
            case NONE -> LatencyProfile.none();
            case REAL -> LatencyProfile.real(config.seed());
        };
        LaggingView view = new LaggingView(initial, latency::ofMetadata);
        Cloud cloud = new Cloud(initial, clock, state -> {
            file.ifPresent(store -> store.save(state));
            view.changed(state, clock.instant());
        });
        Account account = new Account(config.accessKeyId(), config.accessKeySecret(), config.seed());
        CallCounts counts = new CallCounts();
        FaultPlan faults = new FaultPlan(config.seed(), Actions.names());
        Gateway gateway = new Gateway(
                cloud,
                new Authenticator(account, clock),
                latency,
                counts,
                faults,
                new StickyEnis(),
                new ThrottleWindows(ThrottleLimits.none()),
                clock);
        MetadataService service = new MetadataService(view, account, clock, config.seed(), faults);
        HttpEndpoint api = new HttpEndpoint("cloud-api", config.listen(), gateway::answer);
        try {
            HttpEndpoint metadata = new HttpEndpoint("cloud-metadata", config.metadataListen(), service::answer);
            return new CloudEmulator(cloud, counts, faults, api, metadata);
        } catch (RuntimeException | Error failed) {
            api.close();
            throw failed;
        }
    }

    /** Where ECS and VPC answer. */
    public InetSocketAddress address() {
        return api.address();
    }

    /** Where the metadata service of the first instance answers. */
    public InetSocketAddress metadataAddress() {
        return metadata.address();
    }

    /** The instances, in the order of the configured types. */
    public List<String> instanceIds() {
        return cloud.now().instances().stream().map(Instance::id).toList();
    }

    /** What the cloud has now; a copy that does not change. */
    public Books books() {
        return Books.of(cloud.now(), counts.snapshot());
    }

    /** What goes wrong, and what is to go wrong. Empty at the start. */
    public FaultPlan faults() {
        return faults;
    }

    /** Frees both ports and ends all threads; calls under way are cut off. A second close does nothing. */
    @Override
    public void close() {
        api.close();
        metadata.close();
    }

    private static CloudState begin(EmulatorConfig config, InstantSource clock) {
        try {
            return Genesis.create(
                    config.seed(),
                    config.region(),
                    config.zone(),
                    config.instanceTypes(),
                    config.vswitches(),
                    clock.instant());
        } catch (IllegalArgumentException impossible) {
            throw new EmulatorException(impossible.getMessage(), impossible);
        }
    }
}

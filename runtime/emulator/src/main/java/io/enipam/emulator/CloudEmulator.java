package io.enipam.emulator;

import io.enipam.emulator.action.Actions;
import io.enipam.emulator.auth.Account;
import io.enipam.emulator.auth.Authenticator;
import io.enipam.emulator.cloud.Cloud;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Genesis;
import io.enipam.emulator.cloud.Instance;
import io.enipam.emulator.cloud.LatencyProfile;
import io.enipam.emulator.control.CloudControl;
import io.enipam.emulator.control.ControlApi;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.fault.Faults;
import io.enipam.emulator.fault.SkewedClock;
import io.enipam.emulator.fault.StickyEnis;
import io.enipam.emulator.fault.ThrottleWindows;
import io.enipam.emulator.http.CallCounts;
import io.enipam.emulator.http.Gateway;
import io.enipam.emulator.http.HttpEndpoint;
import io.enipam.emulator.metadata.LaggingView;
import io.enipam.emulator.metadata.MetadataService;
import io.enipam.emulator.metadata.MetadataSettings;
import io.enipam.emulator.state.StateFile;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A running emulator of ECS, VPC and the metadata service. Thread-safe. */
public final class CloudEmulator implements AutoCloseable {
    private final Cloud cloud;
    private final CallCounts counts;
    private final CloudControl control;
    private final List<HttpEndpoint> endpoints;

    private CloudEmulator(Cloud cloud, CallCounts counts, CloudControl control, List<HttpEndpoint> endpoints) {
        this.cloud = cloud;
        this.counts = counts;
        this.control = control;
        this.endpoints = endpoints;
    }

    /** Starts it, with nothing that goes wrong, no limits and no control API. */
    public static CloudEmulator start(EmulatorConfig config) {
        return start(config, Conditions.CALM);
    }

    /**
     * Starts it. If the state file exists, region, zone, instances, vSwitches and ENIs come from it and what the
     * configuration says of them is ignored; everything else always comes from the configuration.
     *
     * @throws EmulatorException if an address is taken, the state file is damaged or cannot be written, or the first
     *     vSwitch is too small for the instances
     */
    public static CloudEmulator start(EmulatorConfig config, Conditions conditions) {
        return start(config, conditions, Clock.systemUTC());
    }

    /** The same with a clock of the caller's, which decides when states end and what time signatures are checked by. */
    static CloudEmulator start(EmulatorConfig config, Conditions conditions, InstantSource clock) {
        Optional<StateFile> file = config.stateFile().map(StateFile::new);
        Optional<CloudState> saved = file.flatMap(StateFile::load);
        CloudState initial = saved.orElseGet(() -> begin(config, clock));
        if (saved.isEmpty()) {
            file.ifPresent(fresh -> fresh.save(initial));
        }
        LatencyProfile latency = new LatencyProfile(config.latency(), config.seed());
        LaggingView view = new LaggingView(initial, latency::ofMetadata);
        Cloud cloud = new Cloud(initial, clock, state -> {
            file.ifPresent(store -> store.save(state));
            view.changed(state, clock.instant());
        });
        MetadataSettings metadata = conditions.metadata();
        Account account = new Account(config.accessKeyId(), config.accessKeySecret(), config.seed(), metadata.role());
        CallCounts counts = new CallCounts();
        SkewedClock told = new SkewedClock(clock);
        Faults faults = new Faults(
                new FaultPlan(config.seed(), Actions.names()),
                new StickyEnis(),
                new ThrottleWindows(conditions.throttle()));
        CloudControl control = new CloudControl(cloud, faults, latency, config.latency(), account, told, counts);
        Gateway gateway = new Gateway(cloud, new Authenticator(account, told), latency, counts, faults, clock);
        MetadataService service =
                new MetadataService(view, account, told, config.seed(), faults.plan(), metadata.tokenRequired());
        List<HttpEndpoint> endpoints = new ArrayList<>();
        try {
            endpoints.add(new HttpEndpoint("cloud-api", config.listen(), gateway::answer));
            endpoints.add(new HttpEndpoint("cloud-metadata", config.metadataListen(), service::answer));
            ControlApi hand = new ControlApi(control, () -> Books.of(cloud.now(), counts.snapshot()));
            conditions
                    .controlListen()
                    .ifPresent(listen -> endpoints.add(new HttpEndpoint("cloud-control", listen, hand::answer)));
            return new CloudEmulator(cloud, counts, control, List.copyOf(endpoints));
        } catch (RuntimeException | Error failed) {
            endpoints.forEach(HttpEndpoint::close);
            throw failed;
        }
    }

    /** Where ECS and VPC answer. */
    public InetSocketAddress address() {
        return endpoints.get(0).address();
    }

    /** Where the metadata service of the first instance answers. */
    public InetSocketAddress metadataAddress() {
        return endpoints.get(1).address();
    }

    /** Where the control API answers; empty if it was not asked for. */
    public Optional<InetSocketAddress> controlAddress() {
        return endpoints.stream().skip(2).findFirst().map(HttpEndpoint::address);
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
        return control.faults();
    }

    /** Everything that can be done to the cloud behind its clients' backs. */
    public CloudControl control() {
        return control;
    }

    /** Frees all ports and ends all threads; calls under way are cut off. A second close does nothing. */
    @Override
    public void close() {
        endpoints.forEach(HttpEndpoint::close);
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

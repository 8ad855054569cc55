package io.enipam.emulator;

import com.sun.net.httpserver.HttpExchange;
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
import io.enipam.emulator.http.Answer;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A running emulator of ECS, VPC and the metadata service. Thread-safe. */
public final class CloudEmulator implements AutoCloseable {
    private final Cloud cloud;
    private final CallCounts counts;
    private final CloudControl control;
    private final HttpEndpoint api;
    /** By instance, in their order. */
    private final Map<String, HttpEndpoint> metadata;

    private final Optional<HttpEndpoint> hand;

    private CloudEmulator(
            Cloud cloud,
            CallCounts counts,
            CloudControl control,
            HttpEndpoint api,
            Map<String, HttpEndpoint> metadata,
            Optional<HttpEndpoint> hand) {
        this.cloud = cloud;
        this.counts = counts;
        this.control = control;
        this.api = api;
        this.metadata = metadata;
        this.hand = hand;
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
        Optional<CloudState> saved = file.flatMap(StateFile::load).map(state -> state.limited(config.quotas()));
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
        List<HttpEndpoint> opened = new ArrayList<>();
        try {
            HttpEndpoint api = open(opened, "cloud-api", config.listen(), gateway::answer);
            Map<String, HttpEndpoint> services = new LinkedHashMap<>();
            int port = config.metadataListen().getPort();
            for (Instance instance : initial.instances()) {
                MetadataService service = new MetadataService(
                        view, account, told, config.seed(), instance.id(), faults.plan(), metadata.tokenRequired());
                InetSocketAddress listen =
                        new InetSocketAddress(config.metadataListen().getAddress(), port);
                services.put(instance.id(), open(opened, "cloud-metadata", listen, service::answer));
                port += port == 0 ? 0 : 1;
            }
            ControlApi hand = new ControlApi(control, () -> Books.of(cloud.now(), counts.snapshot()));
            Optional<HttpEndpoint> controlEndpoint =
                    conditions.controlListen().map(listen -> open(opened, "cloud-control", listen, hand::answer));
            return new CloudEmulator(cloud, counts, control, api, services, controlEndpoint);
        } catch (RuntimeException | Error failed) {
            opened.forEach(HttpEndpoint::close);
            throw failed;
        }
    }

    /** Where ECS and VPC answer. */
    public InetSocketAddress address() {
        return api.address();
    }

    /** Where the metadata service of the first instance answers. */
    public InetSocketAddress metadataAddress() {
        return metadataAddress(instanceIds().get(0));
    }

    /**
     * Where the metadata service of an instance answers.
     *
     * @throws IllegalArgumentException if there is no such instance
     */
    public InetSocketAddress metadataAddress(String instanceId) {
        HttpEndpoint endpoint = metadata.get(instanceId);
        if (endpoint == null) {
            throw new IllegalArgumentException("there is no instance " + instanceId + ", only " + metadata.keySet());
        }
        return endpoint.address();
    }

    /** Where the control API answers; empty if it was not asked for. */
    public Optional<InetSocketAddress> controlAddress() {
        return hand.map(HttpEndpoint::address);
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
        api.close();
        metadata.values().forEach(HttpEndpoint::close);
        hand.ifPresent(HttpEndpoint::close);
    }

    private static HttpEndpoint open(
            List<HttpEndpoint> opened,
            String name,
            InetSocketAddress listen,
            Function<HttpExchange, ? extends Answer> service) {
        HttpEndpoint endpoint = new HttpEndpoint(name, listen, service);
        opened.add(endpoint);
        return endpoint;
    }

    private static CloudState begin(EmulatorConfig config, InstantSource clock) {
        try {
            return Genesis.create(
                            config.seed(),
                            config.region(),
                            config.zones(),
                            config.instanceTypes(),
                            config.vswitchSpecs(),
                            clock.instant())
                    .limited(config.quotas());
        } catch (IllegalArgumentException impossible) {
            throw new EmulatorException(impossible.getMessage(), impossible);
        }
    }
}

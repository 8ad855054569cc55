package io.enipam.emulator;

import io.enipam.emulator.auth.Account;
import io.enipam.emulator.auth.Authenticator;
import io.enipam.emulator.cloud.Cloud;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.Genesis;
import io.enipam.emulator.cloud.Instance;
import io.enipam.emulator.cloud.LatencyProfile;
import io.enipam.emulator.http.CallCounts;
import io.enipam.emulator.http.Gateway;
import io.enipam.emulator.http.HttpEndpoint;
import io.enipam.emulator.metadata.LaggingView;
import io.enipam.emulator.metadata.MetadataService;
import io.enipam.emulator.state.StateFile;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A running emulator of ECS, VPC and the metadata service. Thread-safe. */
public final class CloudEmulator implements AutoCloseable {
    private final Cloud cloud;
    private final CallCounts counts;
    private final HttpEndpoint api;
    /** By instance, in their order. Filled by the start alone. */
    private final Map<String, HttpEndpoint> metadata = new LinkedHashMap<>();

    private CloudEmulator(Cloud cloud, CallCounts counts, HttpEndpoint api) {
        this.cloud = cloud;
        this.counts = counts;
        this.api = api;
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
        Optional<CloudState> saved = file.flatMap(StateFile::load).map(state -> state.limited(config.quotas()));
        CloudState initial = saved.orElseGet(() -> begin(config, clock));
        if (saved.isEmpty()) {
            file.ifPresent(fresh -> fresh.save(initial));
        }
        LatencyProfile latency = LatencyProfile.of(config.latency(), config.seed());
        LaggingView view = new LaggingView(initial, latency::ofMetadata);
        Cloud cloud = new Cloud(initial, clock, state -> {
            file.ifPresent(store -> store.save(state));
            view.changed(state, clock.instant());
        });
        Account account = new Account(config.accessKeyId(), config.accessKeySecret(), config.seed());
        CallCounts counts = new CallCounts();
        Gateway gateway = new Gateway(cloud, new Authenticator(account, clock), latency, counts);
        HttpEndpoint api = new HttpEndpoint("cloud-api", config.listen(), gateway::answer);
        CloudEmulator emulator = new CloudEmulator(cloud, counts, api);
        try {
            int port = config.metadataListen().getPort();
            for (Instance instance : initial.instances()) {
                MetadataService service = new MetadataService(view, account, clock, config.seed(), instance.id());
                emulator.metadata.put(
                        instance.id(),
                        new HttpEndpoint(
                                "cloud-metadata",
                                new InetSocketAddress(config.metadataListen().getAddress(), port),
                                service::answer));
                port += port == 0 ? 0 : 1;
            }
            return emulator;
        } catch (RuntimeException | Error failed) {
            emulator.close();
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

    /** The instances, in the order of the configured types. */
    public List<String> instanceIds() {
        return cloud.now().instances().stream().map(Instance::id).toList();
    }

    /** What the cloud has now; a copy that does not change. */
    public Books books() {
        return Books.of(cloud.now(), counts.snapshot());
    }

    /** Frees all ports and ends all threads; calls under way are cut off. A second close does nothing. */
    @Override
    public void close() {
        api.close();
        metadata.values().forEach(HttpEndpoint::close);
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

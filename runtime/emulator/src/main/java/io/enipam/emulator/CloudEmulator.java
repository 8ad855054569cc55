package io.enipam.emulator;

import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.cloud.CloudSnapshot;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudStateStore.CloudStateListener;
import io.enipam.emulator.cloud.CloudTime;
import io.enipam.emulator.cloud.StateFile;
import io.enipam.emulator.control.CloudControl;
import io.enipam.emulator.control.ControlApi;
import io.enipam.emulator.dataplane.Dataplane;
import io.enipam.emulator.fault.FaultPlan;
import io.enipam.emulator.http.Endpoint;
import io.enipam.emulator.http.HttpEndpoint;
import io.enipam.emulator.http.HttpReply;
import io.enipam.emulator.http.MetadataService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
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
    private final EmulatedCloud cloud;
    private final HttpEndpoint api;
    /** By instance, in their order. */
    private final Map<String, HttpEndpoint> metadata = new LinkedHashMap<>();

    private final List<HttpEndpoint> opened = new ArrayList<>();

    private final Optional<Endpoint> controlEndpoint;
    private final Optional<Dataplane> dataplane;

    /** Starts it, without faults, limits and control API. */
    public static CloudEmulator start(EmulatorConfig config) {
        return start(config, EmulatorOptions.CALM);
    }

    /**
     * Starts it. If the state file exists, region, zone, instances, vSwitches and ENIs come from it and what the
     * configuration says of them is ignored; everything else always comes from the configuration. Throws
     * EmulatorException if an address is taken, the state file is damaged or cannot be written, the first vSwitch is
     * too small for the instances, or the network of the options cannot be made.
     */
    public static CloudEmulator start(EmulatorConfig config, EmulatorOptions options) {
        return start(config, options, Clock.systemUTC());
    }

    /** The same with another clock, which decides when states end and by what time signatures are checked. */
    static CloudEmulator start(EmulatorConfig config, EmulatorOptions options, InstantSource clock) {
        Optional<StateFile> file = config.stateFile().map(StateFile::new);
        Optional<CloudState> saved = file.flatMap(StateFile::load).map(state -> state.limited(config.quotas()));
        CloudState initial = saved.orElseGet(() -> EmulatedCloud.initial(config, clock));
        if (saved.isEmpty()) {
            file.ifPresent(fresh -> fresh.save(initial));
        }
        List<InetAddress> services =
                List.of(config.listen().getAddress(), config.metadataListen().getAddress());
        Optional<Dataplane> dataplane = options.dataplane().map(spec -> Dataplane.open(spec, services, initial));
        try {
            return new CloudEmulator(config, options, clock, initial, file, dataplane);
        } catch (RuntimeException | Error failed) {
            dataplane.ifPresent(Dataplane::close);
            throw failed;
        }
    }

    private CloudEmulator(
            EmulatorConfig config,
            EmulatorOptions options,
            InstantSource clock,
            CloudState initial,
            Optional<StateFile> file,
            Optional<Dataplane> dataplane) {
        CloudStateListener network =
                dataplane.map(CloudStateListener.class::cast).orElse(CloudStateListener.NONE);
        this.dataplane = dataplane;
        this.cloud = new EmulatedCloud(
                config,
                SharedAccount.of(options.throttle()),
                options.metadata(),
                CloudTime.sleepingBeside(clock),
                initial,
                new EmulatedCloud.Following(state -> file.ifPresent(store -> store.save(state)), network));
        dataplane.ifPresent(follower -> follower.follow(cloud::now));
        Map<String, MetadataService> services = new LinkedHashMap<>();
        boolean tokenRequired = options.metadata().tokenRequired();
        instanceIds().forEach(id -> services.put(id, cloud.metadata(id, tokenRequired)));
        try {
            this.api = open("cloud-api", config.listen(), cloud.gateway()::answer);
            if (dataplane.isPresent()) {
                HttpEndpoint all =
                        open("cloud-metadata", config.metadataListen(), MetadataService.router(services, cloud::now));
                services.keySet().forEach(instance -> metadata.put(instance, all));
            } else {
                services.forEach((instance, service) ->
                        metadata.put(instance, open("cloud-metadata", next(config.metadataListen()), service::answer)));
            }
            ControlApi controlApi = new ControlApi(cloud.control());
            this.controlEndpoint =
                    options.controlListen().map(listen -> Endpoint.open("cloud-control", listen, controlApi::answer));
        } catch (RuntimeException | Error failed) {
            opened.forEach(HttpEndpoint::close);
            throw failed;
        }
    }

    /** The address after those of the instances so far, or any free port. */
    private InetSocketAddress next(InetSocketAddress first) {
        int port = first.getPort() == 0 ? 0 : first.getPort() + metadata.size();
        return new InetSocketAddress(first.getAddress(), port);
    }

    private HttpEndpoint open(
            String name, InetSocketAddress listen, Function<HttpExchange, ? extends HttpReply> service) {
        HttpEndpoint endpoint = new HttpEndpoint(name, listen, service);
        opened.add(endpoint);
        return endpoint;
    }

    public InetSocketAddress address() {
        return api.address();
    }

    /** Where the metadata service of the first instance answers. */
    public InetSocketAddress metadataAddress() {
        return metadataAddress(instanceIds().get(0));
    }

    /**
     * Where the metadata service of an instance answers. Throws IllegalArgumentException if there is no such instance.
     */
    public InetSocketAddress metadataAddress(String instanceId) {
        HttpEndpoint endpoint = metadata.get(instanceId);
        if (endpoint == null) {
            throw new IllegalArgumentException("there is no instance " + instanceId + ", only " + metadata.keySet());
        }
        return endpoint.address();
    }

    /** Where the control API answers; empty if the options name no address for it. */
    public Optional<SocketAddress> controlAddress() {
        return controlEndpoint.map(Endpoint::address);
    }

    /** The network namespace that the emulator answers in, as {@code ip netns} names it; empty if there is no network. */
    public Optional<String> vpcNamespace() {
        return dataplane.map(Dataplane::vpc);
    }

    /** The instances, in the order of the configured types. */
    public List<String> instanceIds() {
        return cloud.instanceIds();
    }

    /** The security groups of the VPC; the instances are in the first. */
    public List<String> securityGroups() {
        return cloud.now().layout().vpc().securityGroups();
    }

    /** The id of the VPC's route table. */
    public String routeTable() {
        return cloud.now().routeTable();
    }

    /** The network namespace of an instance, as {@code ip netns} names it; empty if there is no network. */
    public Optional<String> namespace(String instanceId) {
        return dataplane.flatMap(
                network -> cloud.now().instance(instanceId).map(instance -> network.namespace(instance.hostname())));
    }

    /** The ENIs of now; a copy that does not change. */
    public CloudSnapshot snapshot() {
        return cloud.control().snapshot();
    }

    /** The fault rules; none at the start. */
    public FaultPlan faults() {
        return cloud.control().faults();
    }

    /** Controls the cloud in ways that its API does not offer. */
    public CloudControl control() {
        return cloud.control();
    }

    /**
     * Frees all ports, ends all threads, and takes the network away; calls under way are cut off. A second close does
     * nothing.
     */
    @Override
    public void close() {
        opened.forEach(HttpEndpoint::close);
        controlEndpoint.ifPresent(Endpoint::close);
        dataplane.ifPresent(Dataplane::close);
    }
}

package io.enipam.kubernetes.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.kubelet.v1beta1.AllocateRequest;
import io.enipam.kubelet.v1beta1.AllocateResponse;
import io.enipam.kubelet.v1beta1.ContainerAllocateResponse;
import io.enipam.kubelet.v1beta1.Device;
import io.enipam.kubelet.v1beta1.DevicePluginGrpc;
import io.enipam.kubelet.v1beta1.DevicePluginOptions;
import io.enipam.kubelet.v1beta1.Empty;
import io.enipam.kubelet.v1beta1.ListAndWatchResponse;
import io.enipam.kubelet.v1beta1.RegisterRequest;
import io.enipam.kubelet.v1beta1.RegistrationGrpc;
import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The device plugin of one resource on one node. It serves a socket in the kubelet's directory and registers it with
 * the kubelet.
 *
 * <p>A restarted kubelet knows no plugins and removes their sockets: each {@link #checkRegistration} serves and
 * registers again if the kubelet's socket is another one, or ours is gone, or the kubelet has not requested the devices
 * for several checks, since it abandons a plugin whose stream broke. Thread-safe; {@code this} guards the fields.
 *
 * @see <a href="https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/">device plugins</a>
 */
public final class KubeletDevicePlugin implements AutoCloseable {
    /** Terway's resource: an ENI for one pod. */
    public static final String ENI = "aliyun/eni";

    /** The directory of the kubelet's sockets. */
    public static final Path DIRECTORY = Path.of("/var/lib/kubelet/device-plugins");

    private static final Logger LOG = LoggerFactory.getLogger(KubeletDevicePlugin.class);
    private static final long PATIENCE_SECONDS = 5;
    /** Number of checks: the kubelet connects after it has answered the registration. */
    private static final int PATIENCE_LOOKS = 5;

    private final Path kubelet;
    private final Path own;
    private final String resource;
    private final DevicePluginService devices = new DevicePluginService();
    private final UnixSockets sockets = new UnixSockets();

    @GuardedBy("this")
    private Optional<Server> server = Optional.empty();

    /** The kubelet's socket of the present registration. */
    @GuardedBy("this")
    private Optional<String> registered = Optional.empty();

    /** For how many checks the kubelet of this registration has not listened. */
    @GuardedBy("this")
    private int unheard;

    private volatile String failureReason = "not registered yet";

    @GuardedBy("this")
    private boolean closed;

    /** @param resource {@code DOMAIN/NAME} */
    public KubeletDevicePlugin(Path directory, String resource) {
        this.resource = resource;
        kubelet = directory.resolve("kubelet.sock");
        own = directory.resolve("enipam-" + resource.substring(resource.indexOf('/') + 1) + ".sock");
    }

    /** Sets how many devices there are, and how many of them can be or were allocated to pods. Returns at once. */
    public void setDevices(int all, int healthy) {
        devices.setDevices(all, healthy);
    }

    /** Why the kubelet does not know the devices; empty text if it does. */
    public String failureReason() {
        return failureReason;
    }

    /**
     * Ensures that the present kubelet knows the devices; called every few seconds. Blocks for a few seconds at most.
     */
    public synchronized void checkRegistration() {
        if (closed) {
            return;
        }
        Optional<String> now = identity(kubelet);
        if (now.isEmpty()) {
            registered = Optional.empty();
            failureReason("there is no kubelet at " + kubelet);
        } else if (!now.equals(registered) || identity(own).isEmpty() || unheard >= PATIENCE_LOOKS) {
            register(now.get());
        }
        unheard = registered.isEmpty() || devices.isWatched() ? 0 : unheard + 1;
    }

    @GuardedBy("this")
    private void register(String identity) {
        registered = Optional.empty();
        unheard = 0;
        server.ifPresent(Server::shutdownNow);
        ManagedChannel channel = sockets.connect(kubelet);
        try {
            server = Optional.of(sockets.serve(own, devices));
            RegistrationGrpc.newBlockingStub(channel)
                    .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .register(RegisterRequest.newBuilder()
                            .setVersion("v1beta1")
                            .setEndpoint(own.getFileName().toString())
                            .setResourceName(resource)
                            .build());
            registered = Optional.of(identity);
            failureReason("");
            LOG.info("the kubelet knows of {}", resource);
        } catch (IOException e) {
            failureReason(own + " cannot be served: " + e.getMessage());
        } catch (StatusRuntimeException e) {
            failureReason("the kubelet does not take " + resource + ": "
                    + e.getStatus().getCode() + " "
                    + Optional.ofNullable(e.getStatus().getDescription()).orElse(""));
        } finally {
            channel.shutdownNow();
        }
    }

    @GuardedBy("this")
    private void failureReason(String next) {
        if (!next.isEmpty() && !next.equals(failureReason)) {
            LOG.warn("{}", next);
        }
        failureReason = next;
    }

    /** Distinguishes successive sockets of that name; empty if there is none. */
    private static Optional<String> identity(Path socket) {
        try {
            BasicFileAttributes now = Files.readAttributes(socket, BasicFileAttributes.class);
            return Optional.of(now.fileKey() + " " + now.creationTime() + " " + now.lastModifiedTime());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        server.ifPresent(Server::shutdownNow);
        sockets.close();
        try {
            Files.deleteIfExists(own);
        } catch (IOException e) {
            LOG.warn("{} is left behind: {}", own, e.toString());
        }
    }

    /** gRPC over unix sockets, with one thread for the wire and a few for the calls. Thread-safe. */
    static final class UnixSockets implements AutoCloseable {
        private static final int CALLS = 4;
        private static final int LARGEST = 1 << 20;

        private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("kubelet-io", true), EpollIoHandler.newFactory());
        private final ExecutorService calls =
                Executors.newFixedThreadPool(CALLS, new DefaultThreadFactory("kubelet-call", true));

        /** Serves on a path; replaces a socket that was left there. */
        Server serve(Path path, BindableService service) throws IOException {
            Files.deleteIfExists(path);
            return NettyServerBuilder.forAddress(new DomainSocketAddress(path.toFile()))
                    .channelType(EpollServerDomainSocketChannel.class)
                    .bossEventLoopGroup(loop)
                    .workerEventLoopGroup(loop)
                    // gRPC sets this option on every child, and a unix socket does not support it
                    .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                    .executor(calls)
                    .maxInboundMessageSize(LARGEST)
                    .addService(service)
                    .build()
                    .start();
        }

        /** Connects to a path, lazily. */
        ManagedChannel connect(Path path) {
            return NettyChannelBuilder.forAddress(new DomainSocketAddress(path.toFile()))
                    .channelType(EpollDomainSocketChannel.class)
                    .eventLoopGroup(loop)
                    .executor(calls)
                    .withOption(ChannelOption.SO_KEEPALIVE, null)
                    .overrideAuthority("localhost")
                    .usePlaintext()
                    .build();
        }

        @Override
        public void close() {
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            calls.shutdownNow();
        }
    }

    /**
     * The kubelet's view: a number of identical devices. A device stands for no particular ENI: the pool decides at a
     * pod's ADD which ENI it gets. Thread-safe.
     *
     * <p>The kubelet reports which devices it allocates, and never when it releases them. If only some are healthy,
     * these are the last allocated ones first, since a device should not become unhealthy while its pod's ENI is well.
     */
    static final class DevicePluginService extends DevicePluginGrpc.DevicePluginImplBase {
        private final Object lock = new Object();

        @GuardedBy("lock")
        private final List<StreamObserver<ListAndWatchResponse>> watching = new ArrayList<>();

        /** Devices allocated to pods, the latest last. */
        @GuardedBy("lock")
        private final Set<String> given = new LinkedHashSet<>();

        @GuardedBy("lock")
        private int count;

        @GuardedBy("lock")
        private int healthy;

        /** Sets how many devices there are and are healthy, and notifies every kubelet that watches. */
        void setDevices(int all, int well) {
            synchronized (lock) {
                if (all != count || well != healthy) {
                    count = all;
                    healthy = well;
                    given.retainAll(ids().collect(Collectors.toSet()));
                    ListAndWatchResponse list = list();
                    watching.forEach(kubelet -> kubelet.onNext(list));
                }
            }
        }

        /** Whether a kubelet listens. */
        boolean isWatched() {
            synchronized (lock) {
                return !watching.isEmpty();
            }
        }

        @Override
        public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> reply) {
            reply.onNext(DevicePluginOptions.getDefaultInstance());
            reply.onCompleted();
        }

        @Override
        public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> reply) {
            ServerCallStreamObserver<ListAndWatchResponse> kubelet =
                    (ServerCallStreamObserver<ListAndWatchResponse>) reply;
            kubelet.setOnCancelHandler(() -> {
                synchronized (lock) {
                    watching.remove(kubelet);
                }
            });
            synchronized (lock) {
                watching.add(kubelet);
                kubelet.onNext(list());
            }
        }

        @Override
        public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> reply) {
            synchronized (lock) {
                Set<String> known = ids().collect(Collectors.toSet());
                List<String> devices = request.getContainerRequestsList().stream()
                        .flatMap(container -> container.getDevicesIdsList().stream())
                        .filter(known::contains)
                        .toList();
                given.removeAll(devices);
                given.addAll(devices);
            }
            AllocateResponse.Builder answer = AllocateResponse.newBuilder();
            request.getContainerRequestsList()
                    .forEach(container -> answer.addContainerResponses(ContainerAllocateResponse.getDefaultInstance()));
            reply.onNext(answer.build());
            reply.onCompleted();
        }

        @GuardedBy("lock")
        private Stream<String> ids() {
            return IntStream.range(0, count).mapToObj(number -> "eni-" + number);
        }

        @GuardedBy("lock")
        private ListAndWatchResponse list() {
            List<String> lastGivenFirst = new ArrayList<>(given);
            Collections.reverse(lastGivenFirst);
            Set<String> well = Stream.concat(lastGivenFirst.stream(), ids())
                    .distinct()
                    .limit(healthy)
                    .collect(Collectors.toSet());
            return ListAndWatchResponse.newBuilder()
                    .addAllDevices(ids().map(id -> Device.newBuilder()
                                    .setID(id)
                                    .setHealth(well.contains(id) ? "Healthy" : "Unhealthy")
                                    .build())
                            .toList())
                    .build();
        }
    }
}

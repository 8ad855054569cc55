package io.enipam.kubernetes.device;

import io.enipam.kubelet.v1beta1.AllocateRequest;
import io.enipam.kubelet.v1beta1.ContainerAllocateRequest;
import io.enipam.kubelet.v1beta1.Device;
import io.enipam.kubelet.v1beta1.DevicePluginGrpc;
import io.enipam.kubelet.v1beta1.Empty;
import io.enipam.kubelet.v1beta1.ListAndWatchResponse;
import io.enipam.kubelet.v1beta1.RegisterRequest;
import io.enipam.kubelet.v1beta1.RegistrationGrpc;
import io.enipam.kubernetes.device.KubeletDevicePlugin.UnixSockets;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** Takes registrations on a real socket, and watches what is registered, as a kubelet does. Thread-safe. */
public final class FakeKubelet extends RegistrationGrpc.RegistrationImplBase implements AutoCloseable {
    private final UnixSockets sockets = new UnixSockets();
    private final Path directory;
    private final Queue<RegisterRequest> registrations = new ConcurrentLinkedQueue<>();
    private final Queue<ManagedChannel> channels = new ConcurrentLinkedQueue<>();
    private volatile List<Device> last = List.of();
    private volatile boolean heard;
    private volatile Optional<Server> server = Optional.empty();
    private volatile Optional<Status> refusal = Optional.empty();

    /** @param directory of the sockets */
    public FakeKubelet(Path directory) {
        this.directory = directory;
    }

    public void start() throws IOException {
        server = Optional.of(sockets.serve(directory.resolve("kubelet.sock"), this));
    }

    /** It ends, and its socket with it. */
    public void stop() throws IOException {
        server.orElseThrow().shutdownNow();
        hangUp();
        Files.deleteIfExists(directory.resolve("kubelet.sock"));
    }

    /** As a kubelet does: it knows nobody, and removes every socket it finds. */
    public void restart() throws IOException {
        server.orElseThrow().shutdownNow();
        hangUp();
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, "*.sock")) {
            for (Path socket : left) {
                Files.deleteIfExists(socket);
            }
        }
        start();
    }

    /** Stops listening to all plugins. */
    public void hangUp() {
        channels.forEach(ManagedChannel::shutdownNow);
        channels.clear();
        heard = false;
        last = List.of();
    }

    /** From now on registrations are answered so; empty to take them. */
    public void refuse(Optional<Status> status) {
        refusal = status;
    }

    public List<RegisterRequest> registrations() {
        return List.copyOf(registrations);
    }

    /** Whether the plugin has told since the last hang-up, and said last that there are so many, all healthy. */
    public boolean hasHeard(int devices) {
        return heard && last.size() == devices && healthy().size() == devices;
    }

    /** How many devices it was told of last. */
    public int all() {
        return last.size();
    }

    /** The ids of those that were healthy. */
    public Set<String> healthy() {
        return last.stream()
                .filter(device -> device.getHealth().equals("Healthy"))
                .map(Device::getID)
                .collect(Collectors.toSet());
    }

    /**
     * Gives devices to containers.
     *
     * @return how many containers got an answer
     */
    @SafeVarargs
    public final int allocate(List<String>... containers) {
        AllocateRequest.Builder request = AllocateRequest.newBuilder();
        Arrays.stream(containers)
                .forEach(devices -> request.addContainerRequests(
                        ContainerAllocateRequest.newBuilder().addAllDevicesIds(devices)));
        ManagedChannel channel =
                sockets.connect(directory.resolve(registrations().get(0).getEndpoint()));
        try {
            return DevicePluginGrpc.newBlockingStub(channel)
                    .allocate(request.build())
                    .getContainerResponsesCount();
        } finally {
            channel.shutdownNow();
        }
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> reply) {
        if (refusal.isPresent()) {
            reply.onError(refusal.get().asRuntimeException());
            return;
        }
        registrations.add(request);
        reply.onNext(Empty.getDefaultInstance());
        reply.onCompleted();
        ManagedChannel channel = sockets.connect(directory.resolve(request.getEndpoint()));
        channels.add(channel);
        // not as part of the plugin's call, which is over
        Context.ROOT.run(() -> watch(channel));
    }

    private void watch(ManagedChannel channel) {
        DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), new StreamObserver<>() {
            @Override
            public void onNext(ListAndWatchResponse list) {
                last = list.getDevicesList();
                heard = true;
            }

            @Override
            public void onError(Throwable error) {
                // the plugin or this kubelet is gone
            }

            @Override
            public void onCompleted() {
                // never, while the plugin lives
            }
        });
    }

    @Override
    public void close() {
        hangUp();
        server.ifPresent(Server::shutdownNow);
        sockets.close();
    }
}

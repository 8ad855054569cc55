package io.enipam.bench.cluster;

import io.enipam.bench.cluster.swarmkit.Task;
import io.enipam.bench.cluster.swarmkit.TaskState;
import io.enipam.bench.cluster.swarmkit.WatchActionKind;
import io.enipam.bench.cluster.swarmkit.WatchMessage;
import io.enipam.bench.cluster.swarmkit.WatchRequest;
import io.enipam.bench.cluster.swarmkit.WatchRequest.WatchEntry;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLException;

/**
 * The tasks of a swarm as its manager tells them on its own socket, by the call {@code docker.swarmkit.v1.Watch/Watch} by which dockerd
 * has its events: as enipam's tasks are reported, each when it changes, so that neither side is asked for a list of them. Thread-safe.
 */
final class DockerTasks implements AutoCloseable {
    private static final MethodDescriptor<WatchRequest, WatchMessage> WATCH =
            MethodDescriptor.<WatchRequest, WatchMessage>newBuilder()
                    .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
                    .setFullMethodName("docker.swarmkit.v1.Watch/Watch")
                    .setRequestMarshaller(ProtoUtils.marshaller(WatchRequest.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(WatchMessage.getDefaultInstance()))
                    .build();

    /** Of tasks that are made, changed or removed. */
    private static final WatchRequest TASKS = WatchRequest.newBuilder()
            .addEntries(WatchEntry.newBuilder()
                    .setKind("task")
                    .setAction(WatchActionKind.WATCH_ACTION_CREATE_VALUE
                            | WatchActionKind.WATCH_ACTION_UPDATE_VALUE
                            | WatchActionKind.WATCH_ACTION_REMOVE_VALUE))
            .build();

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ManagedChannel channel;
    private final Map<String, WatchedTask> tasks = new ConcurrentHashMap<>();
    private volatile boolean begun;
    private volatile String failure = "";

    /** @param wanted whether it is not to end */
    private record WatchedTask(String service, boolean wanted, boolean allocated) {}

    /** Begins to watch, and waits until it does. */
    DockerTasks(Path socket) {
        channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioDomainSocketChannel.class)
                .eventLoopGroup(group)
                .withOption(ChannelOption.SO_KEEPALIVE, null) // of TCP
                .overrideAuthority("localhost")
                .sslContext(anyServer()) // as dockerd itself does: the socket is root's
                .build();
        ClientCalls.asyncServerStreamingCall(
                channel.newCall(WATCH, CallOptions.DEFAULT), TASKS, new StreamObserver<>() {
                    @Override
                    public void onNext(WatchMessage message) {
                        begun = true;
                        message.getEventsList().forEach(DockerTasks.this::told);
                    }

                    @Override
                    public void onError(Throwable thrown) {
                        failure = thrown.toString();
                    }

                    @Override
                    public void onCompleted() {
                        failure = "the watch has ended";
                    }
                });
        RunningPlugin.await(() -> {
            requireWatching();
            return begun;
        });
    }

    private static SslContext anyServer() {
        try {
            return GrpcSslContexts.forClient()
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void requireWatching() {
        if (!failure.isEmpty()) {
            throw new IllegalStateException("dockerd's tasks cannot be watched: " + failure);
        }
    }

    /** How many tasks of a service are not to end, and have left NEW with their address. */
    long allocated(String service) {
        return count(service, true);
    }

    /** How many tasks of a service are not to end. */
    long wanted(String service) {
        return count(service, false);
    }

    private long count(String service, boolean allocated) {
        requireWatching();
        return tasks.values().stream()
                .filter(task -> task.service.equals(service) && task.wanted && (task.allocated || !allocated))
                .count();
    }

    private void told(WatchMessage.Event event) {
        Task task = event.getObject().getTask();
        if (event.getAction() == WatchActionKind.WATCH_ACTION_REMOVE) {
            tasks.remove(task.getId());
            return;
        }
        boolean addressed = task.getNetworksList().stream().anyMatch(network -> network.getAddressesCount() > 0);
        tasks.put(
                task.getId(),
                new WatchedTask(
                        task.getServiceId(),
                        task.getDesiredStateValue() <= TaskState.RUNNING_VALUE,
                        task.getStatus().getStateValue() >= TaskState.PENDING_VALUE && addressed));
    }

    @Override
    public void close() {
        channel.shutdownNow();
        group.shutdownGracefully();
    }
}

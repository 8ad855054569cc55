package io.enipam.bench.cluster;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
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
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLException;

/**
 * The tasks of a swarm as its manager tells them on its own socket, by the call {@code docker.swarmkit.v1.Watch/Watch} by which dockerd
 * has its events: as enipam's tasks are told, each when it changes, so that neither side is asked for a list of them. Thread-safe.
 */
final class DockerTasks implements AutoCloseable {
    /** States of swarmkit's tasks. */
    private static final int PENDING = 64;

    private static final int RUNNING = 512;
    private static final int REMOVED = 4;

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private static final MethodDescriptor<byte[], byte[]> WATCH = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .setFullMethodName("docker.swarmkit.v1.Watch/Watch")
            .setRequestMarshaller(BYTES)
            .setResponseMarshaller(BYTES)
            .build();

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ManagedChannel channel;
    private final Map<String, Task> tasks = new ConcurrentHashMap<>();
    private volatile boolean begun;
    private volatile String failure = "";

    /** @param wanted whether it is not to end */
    private record Task(String service, boolean wanted, boolean allocated) {}

    /** Begins to watch, and waits until it does. */
    DockerTasks(Path socket) {
        channel = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
                .channelType(NioDomainSocketChannel.class)
                .eventLoopGroup(group)
                .withOption(ChannelOption.SO_KEEPALIVE, null) // of TCP
                .overrideAuthority("localhost")
                .sslContext(anyServer()) // as dockerd itself does: the socket is root's
                .build();
        byte[] kind = "task".getBytes(StandardCharsets.UTF_8);
        // entries {kind: "task", action: CREATE | UPDATE | REMOVE}
        byte[] request = {10, 8, 10, 4, kind[0], kind[1], kind[2], kind[3], 16, 7};
        ClientCalls.asyncServerStreamingCall(
                channel.newCall(WATCH, CallOptions.DEFAULT), request, new StreamObserver<>() {
                    @Override
                    public void onNext(byte[] message) {
                        begun = true;
                        told(message);
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
        RunningPlugin.await(() -> watching() && begun);
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

    private boolean watching() {
        if (!failure.isEmpty()) {
            throw new IllegalStateException("dockerd's tasks cannot be watched: " + failure);
        }
        return true;
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
        return watching()
                ? tasks.values().stream()
                        .filter(task -> task.service.equals(service) && task.wanted && (task.allocated || !allocated))
                        .count()
                : 0;
    }

    @FunctionalInterface
    private interface Fields {
        /** Reads a field or skips it. */
        void read(int number, int tag, CodedInputStream in) throws IOException;
    }

    private static void each(CodedInputStream in, Fields fields) throws IOException {
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            fields.read(WireFormat.getTagFieldNumber(tag), tag, in);
        }
    }

    private void told(byte[] message) {
        try {
            each(CodedInputStream.newInstance(message), (number, tag, in) -> {
                if (number == 1) {
                    event(in.readByteArray());
                } else {
                    in.skipField(tag);
                }
            });
        } catch (IOException e) {
            failure = e.toString();
        }
    }

    /** {@code {action: 1, object: 2 {task: 4}}}. */
    private void event(byte[] event) throws IOException {
        int[] action = {0};
        byte[][] task = {{}};
        each(CodedInputStream.newInstance(event), (number, tag, in) -> {
            if (number == 1) {
                action[0] = in.readEnum();
            } else if (number == 2) {
                each(CodedInputStream.newInstance(in.readByteArray()), (kind, kindTag, object) -> {
                    if (kind == 4) {
                        task[0] = object.readByteArray();
                    } else {
                        object.skipField(kindTag);
                    }
                });
            } else {
                in.skipField(tag);
            }
        });
        task(task[0], action[0] == REMOVED);
    }

    /** {@code {id: 1, service_id: 4, status: 9 {state: 2}, desired_state: 10, networks: 11 {addresses: 2}}}. */
    private void task(byte[] task, boolean removed) throws IOException {
        String[] names = {"", ""};
        int[] states = {0, 0};
        boolean[] address = {false};
        each(CodedInputStream.newInstance(task), (number, tag, in) -> {
            switch (number) {
                case 1 -> names[0] = in.readString();
                case 4 -> names[1] = in.readString();
                case 9 ->
                    each(CodedInputStream.newInstance(in.readByteArray()), (field, fieldTag, status) -> {
                        if (field == 2) {
                            states[0] = status.readEnum();
                        } else {
                            status.skipField(fieldTag);
                        }
                    });
                case 10 -> states[1] = in.readEnum();
                case 11 ->
                    each(CodedInputStream.newInstance(in.readByteArray()), (field, fieldTag, network) -> {
                        address[0] |= field == 2;
                        network.skipField(fieldTag);
                    });
                default -> in.skipField(tag);
            }
        });
        if (removed) {
            tasks.remove(names[0]);
        } else {
            tasks.put(names[0], new Task(names[1], states[1] <= RUNNING, states[0] >= PENDING && address[0]));
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
        group.shutdownGracefully();
    }
}

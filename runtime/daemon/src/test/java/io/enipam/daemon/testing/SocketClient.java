package io.enipam.daemon.testing;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.Eni;
import io.enipam.v1.Event;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.InspectGrpc;
import io.enipam.v1.Lease;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.ListPodsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PodInfo;
import io.enipam.v1.Pool;
import io.enipam.v1.WatchEventsRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client on a unix socket, as the shell is one. */
public final class SocketClient implements AutoCloseable {
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("test-client", true), EpollIoHandler.newFactory());
    private final ManagedChannel channel;

    public SocketClient(Path socket) {
        channel = NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .eventLoopGroup(group)
                .channelType(EpollDomainSocketChannel.class)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .usePlaintext()
                .build();
    }

    public ManagedChannel channel() {
        return channel;
    }

    public InspectGrpc.InspectBlockingStub inspect() {
        return InspectGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    public ControlGrpc.ControlBlockingStub control() {
        return ControlGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
    }

    public GetStatusReply status() {
        return inspect().getStatus(GetStatusRequest.getDefaultInstance());
    }

    public Pool pool() {
        return inspect().getPool(GetPoolRequest.getDefaultInstance()).getPool();
    }

    public List<Eni> enis() {
        return inspect().listEnis(ListEnisRequest.getDefaultInstance()).getEnisList();
    }

    public Plugin plugin(String id) {
        return inspect()
                .getPlugin(GetPluginRequest.newBuilder().setId(id).build())
                .getPlugin();
    }

    /** The pods that are known, with their leases. */
    public List<PodInfo> pods() {
        List<PodInfo> all = new ArrayList<>();
        inspect()
                .listPods(ListPodsRequest.getDefaultInstance())
                .forEachRemaining(reply -> all.addAll(reply.getPodsList()));
        return all;
    }

    /** The events so far. */
    public List<Event> events() {
        List<Event> all = new ArrayList<>();
        inspect()
                .watchEvents(WatchEventsRequest.getDefaultInstance())
                .forEachRemaining(reply -> all.addAll(reply.getEventsList()));
        return all;
    }

    /** A simulated CNI ADD of a pod, {@code NAMESPACE/NAME}. */
    @CanIgnoreReturnValue
    public Lease add(String pod) {
        return control().cniAdd(CniAddRequest.newBuilder().setPod(pod).build()).getLease();
    }

    /** A simulated CNI DEL of a pod, {@code NAMESPACE/NAME}. */
    public void del(String pod) {
        control().cniDel(CniDelRequest.newBuilder().setPod(pod).build());
    }

    /** The first address of a lease, without the length of its prefix. */
    public static String ip(Lease lease) {
        return lease.getResource().getAddresses(0).replaceFirst("/.*", "");
    }

    @Override
    public void close() {
        channel.shutdownNow();
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
}

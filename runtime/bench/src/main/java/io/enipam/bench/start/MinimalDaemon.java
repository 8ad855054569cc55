package io.enipam.bench.start;

import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.protobuf.services.HealthStatusManager;
import java.nio.file.Path;
import java.util.Map;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** The peer: reads the records out of a transactional MapDB file, then serves health on a socket, and does nothing else. */
final class MinimalDaemon {
    private MinimalDaemon() {}

    /** Writes the file that the peer reads. */
    static void prepare(Path file, Map<String, byte[]> records) {
        try (DB db = open(file)) {
            BTreeMap<String, byte[]> tree = tree(db);
            tree.putAll(records);
            db.commit();
        }
    }

    /** Arguments: the file and the socket. */
    public static void main(String[] args) throws Exception {
        long bytes = 0;
        try (DB db = open(Path.of(args[0]))) {
            for (byte[] record : tree(db).getValues()) {
                bytes += record.length;
            }
        }
        if (bytes == 0) {
            throw new IllegalStateException("there is nothing in " + args[0]);
        }
        HealthStatusManager health = new HealthStatusManager();
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.SERVING);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        NettyServerBuilder.forAddress(new DomainSocketAddress(args[1]))
                .channelType(EpollServerDomainSocketChannel.class)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .addService(health.getHealthService())
                .build()
                .start()
                .awaitTermination();
    }

    private static DB open(Path file) {
        return DBMaker.fileDB(file.toFile())
                .fileChannelEnable()
                .transactionEnable()
                .make();
    }

    private static BTreeMap<String, byte[]> tree(DB db) {
        return db.treeMap("leases", Serializer.STRING, Serializer.BYTE_ARRAY).createOrOpen();
    }
}

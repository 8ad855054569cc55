package io.enipam.bench.shell;

import io.enipam.bench.start.HealthProbe;
import io.enipam.v1.GetPoolRequest;
import io.enipam.v1.InspectGrpc;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.logging.LogManager;

/** The peer: asks for the pool over gRPC, prints a figure of it, and does nothing else. */
public final class MinimalClient {
    private MinimalClient() {}

    /** Argument: the socket. */
    public static void main(String[] args) {
        LogManager.getLogManager().reset();
        try (HealthProbe health = new HealthProbe(Path.of(args[0]))) {
            ManagedChannel channel = health.channel();
            int capacity = InspectGrpc.newBlockingStub(channel)
                    .getPool(GetPoolRequest.getDefaultInstance())
                    .getPool()
                    .getCapacity();
            System.out.println("capacity " + capacity);
            channel.shutdownNow();
        }
        System.exit(0);
    }
}

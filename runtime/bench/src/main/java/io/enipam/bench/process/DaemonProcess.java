package io.enipam.bench.process;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Duration;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.InspectGrpc;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The daemon of one root directory, as {@code bin/enipamd} starts it. */
final class DaemonProcess {
    private static final int AT_ONCE = 64;

    private final Path root;

    DaemonProcess(Path root) {
        this.root = root;
    }

    Path socket() {
        return root.resolve("run/enipam.sock");
    }

    /** Starts it and waits until it serves. */
    Process start() throws IOException, InterruptedException {
        Files.deleteIfExists(socket());
        Path program = Path.of(System.getProperty("enipam.home")).resolve("runtime/bin/enipamd");
        Process process = new ProcessBuilder(program.toString(), "--root", root.toString())
                .redirectErrorStream(true)
                .redirectOutput(root.resolve("enipamd.log").toFile())
                .start();
        try (HealthProbe health = new HealthProbe(socket())) {
            health.await(process);
        }
        return process;
    }

    /** Adds pods until there are so many; returns the rows of their leases. */
    Map<String, byte[]> fill(int leases) throws Exception {
        try (HealthProbe health = new HealthProbe(socket())) {
            ManagedChannel channel = health.channel();
            try {
                ControlGrpc.ControlFutureStub control = ControlGrpc.newFutureStub(channel);
                ArrayDeque<ListenableFuture<CniAddReply>> open = new ArrayDeque<>();
                for (int i = 0; i < leases; i++) {
                    open.add(control.cniAdd(CniAddRequest.newBuilder()
                            .setPod("bench/pod-" + i)
                            .setContainer("container-" + i)
                            .setTimeout(Duration.newBuilder().setSeconds(300))
                            .build()));
                    if (open.size() == AT_ONCE) {
                        open.remove().get(300, TimeUnit.SECONDS);
                    }
                }
                while (!open.isEmpty()) {
                    open.remove().get(300, TimeUnit.SECONDS);
                }
                return rows(channel);
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static Map<String, byte[]> rows(ManagedChannel channel) {
        Map<String, byte[]> rows = new TreeMap<>();
        InspectGrpc.newBlockingStub(channel)
                .dumpDb(DumpDbRequest.getDefaultInstance())
                .forEachRemaining(part -> {
                    for (DbRecord record : part.getRecordsList()) {
                        if (record.getBucket().equals("leases")) {
                            rows.put(record.getKey(), record.getValue().getBytes(StandardCharsets.UTF_8));
                        }
                    }
                });
        return rows;
    }
}

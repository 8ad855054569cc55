package io.enipam.bench.process;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Duration;
import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.InspectGrpc;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

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

    /** Where the CNI front calls it. */
    Path cniSocket() {
        return root.resolve("run/cni.sock");
    }

    /** Starts it and waits until it serves. */
    Process start() throws IOException, InterruptedException {
        return start(Map.of());
    }

    Process start(Map<String, String> environment) throws IOException, InterruptedException {
        Files.deleteIfExists(socket());
        Path program = Path.of(System.getProperty("enipam.home")).resolve("runtime/bin/enipamd");
        ProcessBuilder builder = new ProcessBuilder(program.toString(), "--root", root.toString())
                .redirectErrorStream(true)
                .redirectOutput(root.resolve("enipamd.log").toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try (HealthProbe health = new HealthProbe(socket())) {
            health.await(process);
        }
        return process;
    }

    /** Adds pods until there are so many; returns the rows of their leases. */
    Map<String, byte[]> fill(int leases) throws Exception {
        return calling(channel -> {
            ControlGrpc.ControlFutureStub control = ControlGrpc.newFutureStub(channel);
            each(
                    leases,
                    i -> control.cniAdd(CniAddRequest.newBuilder()
                            .setPod("bench/pod-" + i)
                            .setContainer("container-" + i)
                            .setTimeout(Duration.newBuilder().setSeconds(300))
                            .build()));
            return rows(channel);
        });
    }

    /** Deletes the pods of {@link #fill}. */
    void empty(int leases) throws Exception {
        calling(channel -> {
            ControlGrpc.ControlFutureStub control = ControlGrpc.newFutureStub(channel);
            each(
                    leases,
                    i -> control.cniDel(CniDelRequest.newBuilder()
                            .setPod("bench/pod-" + i)
                            .setContainer("container-" + i)
                            .build()));
            return leases;
        });
    }

    /** A call of the daemon. */
    interface Call<T> {
        T on(ManagedChannel channel) throws Exception;
    }

    <T> T calling(Call<T> call) throws Exception {
        try (HealthProbe health = new HealthProbe(socket())) {
            ManagedChannel channel = health.channel();
            try {
                return call.on(channel);
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static void each(int count, IntFunction<ListenableFuture<?>> call) throws Exception {
        ArrayDeque<ListenableFuture<?>> open = new ArrayDeque<>();
        for (int i = 0; i < count; i++) {
            open.add(call.apply(i));
            if (open.size() == AT_ONCE) {
                open.remove().get(300, TimeUnit.SECONDS);
            }
        }
        while (!open.isEmpty()) {
            open.remove().get(300, TimeUnit.SECONDS);
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

    /** An emulated cloud in this process, which the daemons that are measured share: it costs their processes nothing. */
    static final class BenchCloud implements AutoCloseable {
        private static final int ADDRESSES_OF_AN_ENI = 50;
        private static final String ACCOUNT = "bench";

        private final CloudEmulator emulator;

        /** @param addresses how many pods shall have one */
        BenchCloud(int addresses) {
            int enis = 2 + addresses / ADDRESSES_OF_AN_ENI;
            emulator = CloudEmulator.start(EmulatorConfig.defaults()
                    .withSite(new EmulatorConfig.Site(
                            "cn-hangzhou",
                            List.of("cn-hangzhou-i"),
                            List.of("ecs.imagined." + enis + "x" + ADDRESSES_OF_AN_ENI),
                            new LinkedHashMap<>(Map.of("vsw-bench", "10.0.0.0/16"))))
                    .withAccessKey(ACCOUNT, ACCOUNT));
        }

        /** Makes a daemon of this root use this cloud, and connect no pods. */
        void configure(Path root) throws IOException {
            configure(root, "datapath: {use: 'off'}\npool: {min_idle: 0, max_idle: 10}\n");
        }

        /** @param settings of {@code enipam.yaml}, beside where the cloud is */
        void configure(Path root, String settings) throws IOException {
            Files.writeString(
                    Files.createDirectories(root.resolve("etc/eni")).resolve("eni.json"),
                    "{\"access_key\": \"" + ACCOUNT + "\", \"access_secret\": \"" + ACCOUNT
                            + "\", \"rate_limit\": {\"\": 100000, \"AssignPrivateIpAddresses\": 100000,"
                            + " \"CreateNetworkInterface\": 100000, \"AttachNetworkInterface\": 100000,"
                            + " \"DescribeNetworkInterfaces\": 100000}}");
            Files.writeString(
                    Files.createDirectories(root.resolve("etc/enipam")).resolve("enipam.yaml"),
                    "cloud: {endpoint: \"" + http(emulator.address()) + "\", metadata: \""
                            + http(emulator.metadataAddress())
                            + "\"}\n" + settings);
        }

        private static String http(InetSocketAddress address) {
            return "http://" + address.getHostString() + ":" + address.getPort();
        }

        @Override
        public void close() {
            emulator.close();
        }
    }
}

package io.enipam.bench.process;

import io.enipam.emulator.CloudEmulator;
import io.enipam.emulator.EmulatorConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An emulated cloud in this process, which the daemons that are measured share: it costs their processes nothing. */
final class BenchCloud implements AutoCloseable {
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

    /** Makes a daemon of this root use this cloud. */
    void configure(Path root) throws IOException {
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
                        + "\"}\ndatapath: {use: 'off'}\npool: {min_idle: 0, max_idle: 10}\n");
    }

    private static String http(InetSocketAddress address) {
        return "http://" + address.getHostString() + ":" + address.getPort();
    }

    @Override
    public void close() {
        emulator.close();
    }
}

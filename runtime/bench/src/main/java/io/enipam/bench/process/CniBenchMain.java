package io.enipam.bench.process;

import io.enipam.bench.Scratch;
import io.enipam.cni.FrameCodec;
import io.enipam.cni.FrameCodec.CniResponse;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures one call of the CNI front. All contenders take turns, so that what else the machine does meets all of them. Argument: how
 * many calls of each.
 */
public final class CniBenchMain {
    private static final String CONFIG =
            "{\"cniVersion\":\"1.0.0\",\"name\":\"enipam\",\"type\":\"enipam-cni\",\"capabilities\":{\"bandwidth\":true}}";

    private CniBenchMain() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        int runs = Scratch.number(args, 0, 50);
        try (Scratch directory = Scratch.of(new String[0]);
                StubDaemon daemon = new StubDaemon(directory.path().resolve("cni.sock"))) {
            Path scratch = directory.path();
            Map<String, Path> contenders = new LinkedHashMap<>();
            // an empty program that is linked as ours is would need a compiler, too; this one is on every node
            contenders.put("/bin/true", Path.of("/bin/true"));
            contenders.put("C front", CniFront.built(scratch.resolve("c"), CniFront.USUAL_COMPILER));
            contenders.put("Java front", CniFront.built(scratch.resolve("java"), CniFront.NO_COMPILER));
            Path config = Files.writeString(scratch.resolve("config"), CONFIG);
            Map<String, String> environment = Map.of(
                    "ENIPAM_CNI_SOCKET", scratch.resolve("cni.sock").toString(),
                    "JAVA_HOME", System.getProperty("java.home"));
            Map<String, List<Long>> took = new LinkedHashMap<>();
            for (int run = 0; run < runs; run++) {
                for (Map.Entry<String, Path> contender : contenders.entrySet()) {
                    PluginCall call = new PluginCall(contender.getValue(), config, environment);
                    long began = System.nanoTime();
                    call.run("ADD", 1, "/var/run/netns/a");
                    took.computeIfAbsent(contender.getKey(), name -> new ArrayList<>())
                            .add((System.nanoTime() - began) / 1_000);
                }
            }
            print(took, runs);
        }
    }

    private static void print(Map<String, List<Long>> took, int runs) {
        System.out.printf("java %s, %d calls of each%n", System.getProperty("java.version"), runs);
        System.out.println("                 p50 ms     p99 ms   least ms");
        took.forEach((name, all) -> System.out.printf(
                Locale.ROOT,
                "%-12s %10.2f %10.2f %10.2f%n",
                name,
                percentile(all, 50) / 1e3,
                percentile(all, 99) / 1e3,
                percentile(all, 0) / 1e3));
        System.out.printf(
                Locale.ROOT,
                "the C front takes %.3f of the Java front%n",
                percentile(took.get("C front"), 50) / (double) percentile(took.get("Java front"), 50));
    }

    /** Of the same unit as the values. */
    static long percentile(List<Long> all, int percent) {
        List<Long> sorted = all.stream().sorted().toList();
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }

    /** Answers each call with one result, and does nothing for it. */
    private static final class StubDaemon implements AutoCloseable {
        private static final byte[] RESULT =
                ("{\"cniVersion\":\"1.0.0\",\"interfaces\":[{\"name\":\"eth0\",\"sandbox\":\"/var/run/netns/a\"}],"
                                + "\"ips\":[{\"address\":\"10.0.0.5/24\",\"gateway\":\"10.0.0.253\",\"interface\":0}],\"dns\":{}}")
                        .getBytes(StandardCharsets.UTF_8);

        private final ServerSocketChannel server;

        StubDaemon(Path socket) throws IOException {
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(socket));
            Thread thread = new Thread(this::serve, "daemon");
            thread.setDaemon(true);
            thread.start();
        }

        private void serve() {
            while (true) {
                try (SocketChannel caller = server.accept()) {
                    FrameCodec.readRequest(new DataInputStream(Channels.newInputStream(caller)));
                    FrameCodec.write(
                            new CniResponse(0, RESULT, new byte[0]),
                            new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(caller))));
                } catch (ClosedChannelException over) {
                    return;
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}

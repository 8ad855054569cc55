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
        Path home = Path.of(System.getProperty("enipam.home"));
        try (Scratch directory = Scratch.of(new String[0]);
                StubDaemon daemon = new StubDaemon(directory.path().resolve("cni.sock"))) {
            Path scratch = directory.path();
            Map<String, Path> contenders = new LinkedHashMap<>();
            // an empty program that is linked as ours is would need a compiler, too; this one is on every node
            contenders.put("/bin/true", Path.of("/bin/true"));
            contenders.put("C front", built(home, scratch.resolve("c"), "cc"));
            contenders.put("Java front", built(home, scratch.resolve("java"), "no-compiler-for-this-one"));
            Path config = Files.writeString(scratch.resolve("config"), CONFIG);
            Map<String, List<Long>> took = new LinkedHashMap<>();
            for (int run = 0; run < runs; run++) {
                for (Map.Entry<String, Path> contender : contenders.entrySet()) {
                    took.computeIfAbsent(contender.getKey(), name -> new ArrayList<>())
                            .add(micros(contender.getValue(), config, scratch));
                }
            }
            print(took, runs);
        }
    }

    /** Builds a front as the project does, with this compiler. */
    private static Path built(Path home, Path out, String compiler) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        home.resolve("runtime/cni/src/main/sh/build-front").toString(),
                        out.toString(),
                        "bench",
                        home.resolve("runtime/cni/target/classes").toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("CC", compiler);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        boolean inC = compiler.equals("cc");
        if (builder.start().waitFor() != 0 || Files.exists(out.resolve("enipam-cni.jar")) == inC) {
            throw new IllegalStateException("no front could be built with " + compiler);
        }
        return out.resolve("enipam-cni");
    }

    /** Calls it once, from exec to exit. */
    private static long micros(Path front, Path config, Path scratch) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(front.toString())
                .redirectInput(config.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment()
                .putAll(Map.of(
                        "CNI_COMMAND", "ADD",
                        "CNI_CONTAINERID", "c1",
                        "CNI_NETNS", "/var/run/netns/a",
                        "CNI_IFNAME", "eth0",
                        "CNI_PATH", "/opt/cni/bin",
                        "ENIPAM_CNI_SOCKET", scratch.resolve("cni.sock").toString(),
                        "JAVA_HOME", System.getProperty("java.home")));
        long began = System.nanoTime();
        int status = builder.start().waitFor();
        long took = System.nanoTime() - began;
        if (status != 0) {
            throw new IllegalStateException("status " + status + " of " + front);
        }
        return took / 1_000;
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

    private static long percentile(List<Long> all, int percent) {
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

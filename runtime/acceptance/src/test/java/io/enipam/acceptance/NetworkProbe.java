package io.enipam.acceptance;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What runs in a pod: it needs the JDK alone, so that many of them start at once. */
final class NetworkProbe {
    private static final int PATIENCE_MILLIS = 60_000;
    private static final int PING_MILLIS = 1000;
    private static final int CHUNK = 64 * 1024;

    private NetworkProbe() {}

    /**
     * Does what the words say.
     *
     * <pre>
     * ping TIMES ADDRESS...     prints the addresses that did not answer any of so many ICMP echo requests
     * receive PORT SECONDS      prints "listening", then how many bytes a second one client brought in the middle of that time
     * send ADDRESS PORT         sends until the other side has enough
     * api CIDR                  prints "listening", and is an API server that says this of every node
     * </pre>
     */
    public static void main(String[] words) throws Exception {
        switch (words[0]) {
            case "ping" -> ping(Integer.parseInt(words[1]), List.of(words).subList(2, words.length));
            case "receive" -> receive(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
            case "send" -> send(words[1], Integer.parseInt(words[2]));
            case "api" -> MinimalApiServer.serve(words[1]);
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private static void ping(int times, List<String> addresses) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(addresses.size());
        List<Future<Boolean>> answers = new ArrayList<>();
        for (String address : addresses) {
            answers.add(threads.submit(() -> answers(InetAddress.getByName(address), times)));
        }
        threads.shutdown();
        for (int i = 0; i < addresses.size(); i++) {
            if (!answers.get(i).get()) {
                System.out.println(addresses.get(i));
            }
        }
    }

    private static boolean answers(InetAddress address, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            try {
                if (address.isReachable(PING_MILLIS)) {
                    return true;
                }
            } catch (SocketException withoutRoute) {
                // a pod without its NIC
            }
        }
        return false;
    }

    private static void receive(int port, int seconds) throws IOException {
        try (ServerSocket server = new ServerSocket(port)) {
            server.setSoTimeout(PATIENCE_MILLIS);
            System.out.println("listening");
            try (Socket client = server.accept();
                    InputStream in = client.getInputStream()) {
                client.setSoTimeout(PATIENCE_MILLIS);
                byte[] chunk = new byte[CHUNK];
                long start = System.nanoTime();
                // what the bucket held at the start, and what piled up in it, is no rate
                long from = start + seconds * 1_000_000_000L / 3;
                long end = start + seconds * 1_000_000_000L;
                long first = 0;
                long bytes = 0;
                for (int n = in.read(chunk); n >= 0 && System.nanoTime() < end; n = in.read(chunk)) {
                    if (first != 0) {
                        bytes += n;
                    } else if (System.nanoTime() >= from) {
                        first = System.nanoTime();
                    }
                }
                System.out.printf(Locale.ROOT, "%d%n", (long) (bytes * 1e9 / (System.nanoTime() - first)));
            }
        }
    }

    private static void send(String address, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setOption(StandardSocketOptions.SO_SNDBUF, 4 * CHUNK);
            socket.connect(new InetSocketAddress(address, port), PATIENCE_MILLIS);
            OutputStream out = socket.getOutputStream();
            byte[] chunk = new byte[CHUNK];
            while (true) {
                out.write(chunk);
            }
        } catch (SocketException enough) {
            System.out.println("sent");
        }
    }
}

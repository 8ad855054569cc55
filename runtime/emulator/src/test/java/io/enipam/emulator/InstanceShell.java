package io.enipam.emulator;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Arrays;

/** What runs on an emulated instance: it reads commands, a line each, and answers each with a line. */
final class InstanceShell {
    private static final int PING_MILLIS = 1000;

    private InstanceShell() {}

    /**
     * Runs until standard input ends.
     *
     * <pre>
     * api ACTION [NAME VALUE]...   the API's answer
     * ping ADDRESS                 true or false
     * metadata PATH                the leaf
     * </pre>
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        TestClient client = new TestClient(new InetSocketAddress("100.100.100.201", 80), InstantSource.system());
        out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(answer(client, line.split(" ")).replaceAll("\\s+", " "));
        }
    }

    private static String answer(TestClient client, String[] words) throws Exception {
        return switch (words[0]) {
            case "api" ->
                client.call(words[1], Arrays.copyOfRange(words, 2, words.length))
                        .text();
            case "ping" -> Boolean.toString(InetAddress.getByName(words[1]).isReachable(PING_MILLIS));
            case "metadata" ->
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(
                                                URI.create("http://100.100.100.200/latest/meta-data/" + words[1]))
                                        .build(),
                                BodyHandlers.ofString())
                        .body();
            default -> throw new IllegalArgumentException(words[0]);
        };
    }
}

package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What pods that come and go cost the API server. A few in each build; {@code runtime/bin/enipam-bench churn} has a thousand and
 * prints the figures.
 */
class ChurnTest {
    private static final int PODS = Integer.getInteger("churn.pods", 30);
    /** A file for the figures, or empty text. */
    private static final String FIGURES = System.getProperty("churn.figures", "");

    private static final int RESIDENTS = 12;
    private static final int WAVE = 10;

    @TempDir
    private Path directory;

    @Test
    void anAddIsNoRequestAndAPodWithNoDELIsOneGet() throws IOException {
        try (ClusteredDaemon node = new ClusteredDaemon(directory, "  requests_per_second: 1000\n")) {
            await().atMost(Duration.ofSeconds(60)).until(() -> asked(node).containsKey("WATCH pods"));
            // most of a node's pods live on: a node whose pods go all at once is looked at twice
            for (int i = 0; i < RESIDENTS; i++) {
                added(node, "resident-" + i, i);
            }
            Map<String, Long> before = asked(node);
            long begun = System.nanoTime();
            int ordinary = PODS * 2 / 3;
            for (int i = 0; i < ordinary; i++) {
                added(node, "job-" + i, RESIDENTS);
                node.del("c-job-" + i);
                node.delete("job-" + i);
            }
            Map<String, Long> byDel = since(before, asked(node));
            assertThat(byDel.getOrDefault("GET pods", 0L))
                    .as("the watch has the pod")
                    .isZero();
            for (int i = ordinary; i < PODS; i++) {
                added(node, "job-" + i, RESIDENTS);
                node.delete("job-" + i);
                if ((i - ordinary) % WAVE == WAVE - 1) {
                    emptied(node);
                }
            }
            emptied(node);
            double seconds = Duration.ofNanos(System.nanoTime() - begun).toMillis() / 1_000.0;
            Map<String, Long> all = since(before, asked(node));
            if (!FIGURES.isEmpty()) {
                write(all, seconds, PODS - ordinary);
            }
            assertThat(all.get("GET pods"))
                    .as("one for each lease that ends without a DEL")
                    .isBetween((long) PODS - ordinary, 2L * (PODS - ordinary));
            assertThat(all.getOrDefault("LIST pods", 0L)).as("lists").isLessThan(PODS / 5);
        }
    }

    @Test
    void anAddOfARuntimeThatNamesNoUidIsOneGet() throws IOException {
        try (ClusteredDaemon node = new ClusteredDaemon(directory, "")) {
            node.create("web-0");
            node.awaitWatched(1);
            Map<String, Long> before = asked(node);

            node.add("web-0", "c-web-0");

            assertThat(since(before, asked(node)).get("GET pods")).isOne();
        }
    }

    /** A pod, heard of and added while so many others are there. */
    private static void added(ClusteredDaemon node, String name, int others) {
        // the one before is gone, as far as the watch knows
        node.awaitWatched(others);
        Pod pod = node.create(name);
        node.awaitWatched(others + 1);
        node.add(pod, "c-" + name);
    }

    private static void emptied(ClusteredDaemon node) {
        await().atMost(Duration.ofMinutes(2)).until(() -> node.lent() == RESIDENTS);
    }

    private static Map<String, Long> since(Map<String, Long> before, Map<String, Long> now) {
        Map<String, Long> since = new TreeMap<>(now);
        before.forEach((request, count) -> since.merge(request, -count, Long::sum));
        return since;
    }

    private static Map<String, Long> asked(ClusteredDaemon node) {
        return node.server.asked().stream()
                .map(ChurnTest::name)
                .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    }

    /** Verb and resource of {@code METHOD PATH}. */
    private static String name(String line) {
        String[] parts = line.split(" ", 2);
        String path = parts[1].replaceFirst("\\?.*", "").replaceFirst("^/api/v1/(namespaces/[^/]+/(?=.))?", "");
        String[] segments = path.split("/");
        if (segments.length == 1 && parts[0].equals("GET")) {
            return (parts[1].contains("watch=true") ? "WATCH " : "LIST ") + segments[0];
        }
        return parts[0] + " " + segments[0] + (segments.length > 2 ? "/" + segments[2] : "");
    }

    private static void write(Map<String, Long> asked, double seconds, int noDel) throws IOException {
        StringBuilder table = new StringBuilder(
                "%d pods made, added and deleted in %.1f s, %d of them with no DEL%n".formatted(PODS, seconds, noDel));
        table.append("%-22s %8s %10s%n".formatted("request", "count", "per ADD"));
        asked.values().removeIf(count -> count == 0);
        asked.forEach((request, count) ->
                table.append("%-22s %8d %10.2f%n".formatted(request, count, (double) count / PODS)));
        Files.writeString(Path.of(FIGURES), table);
    }
}

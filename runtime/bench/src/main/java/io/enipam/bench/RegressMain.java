package io.enipam.bench;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Runs a short set of the benchmarks, and compares each ratio to a peer with the one in {@code runtime/bench/ratios.json}.
 * Exit status: 0 if none is worse by a third; 1 if one is, or was not reported; 2 for wrong usage.
 *
 * <p>A benchmark with a ratio that is worse runs once more, and the better of the two counts: what else a machine does
 * passes, and what is slow stays so.
 *
 * <p>Arguments: {@code --record} to write what is found in place of what was; the names of the benchmarks, all by default.
 */
public final class RegressMain {
    private static final String RECORD = "--record";

    /**
     * The short set.
     *
     * @param root whether it takes root
     * @param arguments of {@code enipam-bench}
     */
    private record Part(String name, boolean root, List<String> arguments) {}

    private static final List<Part> PARTS = List.of(
            new Part("pool", false, List.of("-p", "idle=1000", "-wi", "2", "-i", "5", "PoolBench")),
            new Part("adds", false, List.of("adds", "/tmp", "2")),
            new Part("datapath", true, List.of("datapath", "60")),
            new Part("burst", true, List.of("burst", "/tmp", "2", "10")),
            new Part("start", false, List.of("start", "/tmp", "5", "1000")),
            new Part("shell", false, List.of("shell", "/tmp", "9", "1000")));

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private RegressMain() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        boolean record = List.of(args).contains(RECORD);
        List<String> names =
                Stream.of(args).filter(word -> !word.equals(RECORD)).toList();
        List<String> known = PARTS.stream().map(Part::name).toList();
        if (!known.containsAll(names)) {
            System.err.println("usage: enipam-bench regress [" + RECORD + "] [" + String.join("|", known) + "]...");
            System.exit(2);
        }
        List<Part> wanted = PARTS.stream()
                .filter(part -> names.isEmpty() || names.contains(part.name()))
                .toList();
        Path home = Path.of(System.getProperty("enipam.home"));
        Path file = home.resolve("runtime/bench/ratios.json");
        Map<String, Double> recorded = Files.exists(file)
                ? JSON.readValue(Files.readAllBytes(file), new TypeReference<TreeMap<String, Double>>() {})
                : new TreeMap<>();
        boolean root = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        Map<String, Double> was = new TreeMap<>();
        Map<String, Double> is = new TreeMap<>();
        for (Part part : wanted) {
            if (part.root() && !root) {
                System.out.println(part.name() + " was left out: it needs root");
                continue;
            }
            Map<String, Double> before = of(part, recorded);
            Map<String, Double> now = run(home, part);
            if (!RatioComparison.of(before, now).isGood() && !record) {
                System.out.println(part.name() + " is worse than it was; once more");
                run(home, part).forEach((name, ratio) -> now.merge(name, ratio, Math::min));
            }
            was.putAll(before);
            is.putAll(now);
        }
        RatioComparison comparison = RatioComparison.of(was, is);
        System.out.println();
        comparison.table().forEach(System.out::println);
        if (record) {
            was.keySet().forEach(recorded::remove);
            recorded.putAll(is);
            Files.writeString(file, JSON.writeValueAsString(recorded) + "\n");
        } else if (!comparison.isGood()) {
            System.exit(1);
        }
    }

    private static Map<String, Double> of(Part part, Map<String, Double> ratios) {
        Map<String, Double> own = new TreeMap<>(ratios);
        own.keySet().removeIf(name -> !name.startsWith(part.name() + "/"));
        return own;
    }

    /** Runs a benchmark, which prints as ever; returns what it reports. */
    private static Map<String, Double> run(Path home, Part part) throws IOException, InterruptedException {
        Path reports = Files.createTempFile("enipam-bench", ".ratios");
        try {
            List<String> command = new ArrayList<>(
                    List.of(home.resolve("runtime/bin/enipam-bench").toString()));
            command.addAll(part.arguments());
            ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
            builder.environment().put(Ratios.VARIABLE, reports.toString());
            System.out.println("\nenipam-bench " + String.join(" ", part.arguments()));
            int status = builder.start().waitFor();
            if (status != 0) {
                System.out.println(part.name() + " ended with status " + status);
            }
            return Ratios.read(reports);
        } finally {
            Files.delete(reports);
        }
    }
}

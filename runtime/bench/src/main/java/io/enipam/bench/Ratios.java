package io.enipam.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a benchmark found, as ratios to its peer in the same run: the smaller the better. A benchmark that runs for
 * {@link RegressMain} adds a line {@code NAME RATIO} for each to the file that {@code ENIPAM_BENCH_RATIOS} names, be it a
 * program or a test; without that variable nobody wants to know.
 */
public final class Ratios {
    static final String VARIABLE = "ENIPAM_BENCH_RATIOS";

    private Ratios() {}

    /**
     * Reports one, if that is wanted.
     *
     * @param name {@code BENCHMARK/FIGURE}, without white space
     * @param ours a time, or another cost
     * @param peers the same of the peer, more than 0
     */
    public static void report(String name, double ours, double peers) throws IOException {
        String file = System.getenv(VARIABLE);
        if (file != null) {
            report(Path.of(file), name, ours / peers);
        }
    }

    static void report(Path file, String name, double ratio) throws IOException {
        if (!Double.isFinite(ratio) || ratio <= 0 || !name.matches("\\S+")) {
            throw new IllegalArgumentException("'" + name + "' is " + ratio + ", and no ratio");
        }
        Files.writeString(
                file,
                String.format(Locale.ROOT, "%s %.4f%n", name, ratio),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    /** What was reported to a file, by name; nothing if there is no file. */
    static Map<String, Double> read(Path file) throws IOException {
        Map<String, Double> ratios = new TreeMap<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                int space = line.indexOf(' ');
                ratios.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
            }
        }
        return ratios;
    }
}

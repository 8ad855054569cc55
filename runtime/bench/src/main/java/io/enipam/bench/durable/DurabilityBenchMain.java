package io.enipam.bench.durable;

import io.enipam.bench.LoadGenerator;
import io.enipam.bench.LoadGenerator.Measurement;
import io.enipam.bench.Ratios;
import io.enipam.bench.Scratch;
import io.enipam.bench.durable.DurableWriter.MapDbWriter;
import io.enipam.bench.durable.DurableWriter.RawFsyncWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Durable ADDs a second, beside the disk's own force and MapDB's own commit.
 *
 * <p>Arguments: a directory on the disk to be measured, and how many seconds each figure takes. The contenders take
 * turns, so that a busy minute of the disk affects all of them; the median of the rounds is printed.
 */
public final class DurabilityBenchMain {
    private static final int ROUNDS = 3;
    private static final int BATCH = 250;
    private static final int MANY = 8;
    private static final int ADDRESSES = MANY * BATCH;
    /** Of a commit's frame: its header, the words around the record, and the removal of the address's hold. */
    private static final int FRAME_BYTES_BESIDE_RECORD = 160;

    private DurabilityBenchMain() {}

    /** One line of the table; so many callers put at once. */
    private record Row(DurableWriter contender, LoadGenerator callers, List<Measurement> rounds) {
        Measurement median() {
            return rounds.stream()
                    .sorted(Comparator.comparing(Measurement::perSecond))
                    .toList()
                    .get(rounds.size() / 2);
        }
    }

    public static void main(String[] args) throws Exception {
        long nanos = TimeUnit.SECONDS.toNanos(Scratch.number(args, 1, 5));
        try (Scratch scratch = Scratch.of(args);
                EngineAddWriter engine = new EngineAddWriter(scratch.path(), ADDRESSES)) {
            Path directory = scratch.path();
            byte[] record = engine.sampleRecord();
            int bytes = record.length + FRAME_BYTES_BESIDE_RECORD;
            try (RawFsyncWriter force = new RawFsyncWriter(directory, bytes);
                    MapDbWriter mapDb = new MapDbWriter(directory, record);
                    LoadGenerator one = new LoadGenerator(1);
                    LoadGenerator many = new LoadGenerator(MANY)) {
                List<Row> rows = List.of(
                        new Row(force, one, new ArrayList<>()),
                        new Row(engine, one, new ArrayList<>()),
                        new Row(mapDb, one, new ArrayList<>()),
                        new Row(engine, many, new ArrayList<>()),
                        new Row(mapDb, many, new ArrayList<>()));
                for (Row row : rows) { // warm up
                    row.contender().measure(row.callers(), BATCH, nanos);
                }
                for (int round = 0; round < ROUNDS; round++) {
                    for (Row row : rows) {
                        row.rounds().add(row.contender().measure(row.callers(), BATCH, nanos));
                    }
                }
                print(rows, bytes, directory);
                report(rows.get(0), rows.get(1));
                report(rows.get(0), rows.get(3));
            }
        }
    }

    private static void report(Row force, Row adds) throws IOException {
        Ratios.report(
                "adds/callers" + adds.callers().count(),
                1 / adds.median().perSecond(),
                1 / force.median().perSecond());
    }

    private static void print(List<Row> rows, int bytes, Path directory) {
        Measurement force = rows.get(0).median();
        System.out.printf("%d bytes a commit, on %s; median of %d rounds%n", bytes, directory.getParent(), ROUNDS);
        System.out.println("               callers  a second    p50 ms    p99 ms x bare force      x MapDB");
        for (Row row : rows) {
            Measurement figures = row.median();
            Measurement mapDb = rows.stream()
                    .filter(other -> other.contender() instanceof MapDbWriter
                            && other.callers().equals(row.callers()))
                    .findFirst()
                    .orElseThrow()
                    .median();
            System.out.printf(
                    Locale.ROOT,
                    "%-14s %7d %9.0f %9.3f %9.3f %12.2f %12.2f%n",
                    row.contender().name(),
                    row.callers().count(),
                    figures.perSecond(),
                    figures.p50Millis(),
                    figures.p99Millis(),
                    figures.perSecond() / force.perSecond(),
                    figures.perSecond() / mapDb.perSecond());
        }
    }
}

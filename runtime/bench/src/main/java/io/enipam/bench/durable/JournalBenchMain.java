package io.enipam.bench.durable;

import com.sun.management.OperatingSystemMXBean;
import io.enipam.bench.LoadGenerator;
import io.enipam.bench.LoadGenerator.Measurement;
import io.enipam.bench.Scratch;
import io.enipam.bench.durable.DurableWriter.RawFsyncWriter;
import io.enipam.etcd.testing.EtcdServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Commits of a plugin's journal a second: in the daemon's own database beside the disk's own force, and in etcd beside a bare put,
 * all on one disk in turns; the median of the rounds is printed.
 *
 * <p>Arguments: a directory on the disk to be measured, and how many seconds each figure takes.
 */
public final class JournalBenchMain {
    private static final int ROUNDS = 3;
    private static final int BATCH = 250;
    private static final int MANY = 8;

    private JournalBenchMain() {}

    /** One line of the table; so many callers put at once, and the peer does the same. */
    private record Row(DurableWriter contender, LoadGenerator callers, DurableWriter peer, List<Round> rounds) {
        Row(DurableWriter contender, LoadGenerator callers, DurableWriter peer) {
            this(contender, callers, peer, new ArrayList<>());
        }

        void measure(long nanos) throws InterruptedException {
            long cpu = cpuNanos();
            Measurement figures = contender.measure(callers, BATCH, nanos);
            rounds.add(new Round(figures, (cpuNanos() - cpu) / 1e3 / figures.count()));
        }

        Measurement median() {
            return middle(Comparator.comparing(round -> round.figures().perSecond()))
                    .figures();
        }

        double cpuMicros() {
            return middle(Comparator.comparing(Round::cpuMicros)).cpuMicros();
        }

        private Round middle(Comparator<Round> order) {
            return rounds.stream().sorted(order).toList().get(rounds.size() / 2);
        }
    }

    /** @param cpuMicros of this process for one operation: what a busy machine changes less */
    private record Round(Measurement figures, double cpuMicros) {}

    /** Of all threads of this process. */
    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    public static void main(String[] args) throws Exception {
        long nanos = TimeUnit.SECONDS.toNanos(Scratch.number(args, 1, 5));
        List<DurableWriter> writers = new ArrayList<>();
        try (Scratch scratch = Scratch.of(args);
                LoadGenerator one = new LoadGenerator(1);
                LoadGenerator many = new LoadGenerator(MANY)) {
            List<Row> rows = new ArrayList<>();
            DurableWriter force = new RawFsyncWriter(scratch.path(), JournalWriters.RECORD.length() + 160);
            DurableWriter embedded = JournalWriters.embedded(scratch.path());
            writers.addAll(List.of(force, embedded));
            rows.add(new Row(force, one, force));
            rows.add(new Row(embedded, one, force));
            rows.add(new Row(embedded, many, force));
            if (EtcdServer.program().isPresent()) {
                try (EtcdServer etcd = EtcdServer.started(
                        Files.createDirectories(scratch.path().resolve("etcd")))) {
                    DurableWriter put = new JournalWriters.EtcdPut(etcd);
                    List<DurableWriter> journals = JournalWriters.inEtcd(etcd);
                    writers.add(put);
                    writers.addAll(journals);
                    for (LoadGenerator callers : List.of(one, many)) {
                        rows.add(new Row(put, callers, put));
                        journals.forEach(journal -> rows.add(new Row(journal, callers, put)));
                    }
                    run(rows, nanos, scratch.path());
                    close(writers);
                }
            } else {
                System.out.println("there is no etcd here (Debian: etcd-server): the daemon's own journal alone");
                run(rows, nanos, scratch.path());
                close(writers);
            }
        }
    }

    private static void close(List<DurableWriter> writers) throws IOException {
        for (DurableWriter writer : writers) {
            writer.close();
        }
    }

    private static void run(List<Row> rows, long nanos, Path directory) throws InterruptedException {
        for (Row row : rows) { // warm up
            row.contender().measure(row.callers(), BATCH, nanos);
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (Row row : rows) {
                row.measure(nanos);
            }
        }
        System.out.printf(
                "%d bytes a row, on %s; median of %d rounds%n",
                JournalWriters.RECORD.length(), directory.getParent(), ROUNDS);
        System.out.println("                       callers  a second    p50 ms    p99 ms   CPU us   x peer");
        for (Row row : rows) {
            Measurement figures = row.median();
            System.out.printf(
                    Locale.ROOT,
                    "%-22s %7d %9.0f %9.3f %9.3f %8.0f %8.2f%n",
                    row.contender().name(),
                    row.callers().count(),
                    figures.perSecond(),
                    figures.p50Millis(),
                    figures.p99Millis(),
                    row.cpuMicros(),
                    figures.perSecond() / peerOf(row, rows).perSecond());
        }
    }

    /** With as many callers, or else with one, as the disk has no more to give to several. */
    private static Measurement peerOf(Row row, List<Row> rows) {
        return rows.stream()
                .filter(other -> other.contender().equals(row.peer()))
                .min(Comparator.comparing(other -> !other.callers().equals(row.callers())))
                .orElseThrow()
                .median();
    }
}

package io.enipam.bench.durable;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.bench.LoadGenerator.Measurement;
import io.enipam.bench.PoolBench;
import io.enipam.bench.Scratch;
import io.enipam.engine.pool.ResourcePool;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.events.EventRing.EventCounts;
import io.enipam.observability.history.Meters;
import io.enipam.observability.metrics.Scrape;
import io.enipam.observability.metrics.Sources;
import io.enipam.observability.web.Page;
import io.enipam.platform.SystemTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;

/**
 * What a scrape of the metrics costs on a node with many leases, beside the summary of the pool that it takes and a view of
 * the whole pool; and how long such a view holds the pool's lock at a time.
 */
public final class ScrapeBenchMain {
    private static final int ROUNDS = 300;

    private ScrapeBenchMain() {}

    /** @param args where the database is made, and how many leases there are */
    public static void main(String[] args) throws Exception {
        int leases = Scratch.number(args, 1, 10_000);
        try (Scratch scratch = Scratch.of(args);
                EngineAddWriter engine = new EngineAddWriter(scratch.path(), leases)) {
            for (int i = 0; i < leases; i++) {
                engine.put(0, i);
            }
            Scrape scrape = new Scrape(sources(engine, scratch.path()));
            Page.Asked asked = new Page.Asked(false, "");
            Callable<Object> page = () -> scrape.answer(asked);
            long first = took(page);
            Measurement pages = measured(page);
            Measurement summaries = measured(() -> engine.engine().poolSummary());
            Measurement views = measured(() -> engine.engine().pool());
            Measurement holds = holds(leases);
            String text = new String(scrape.answer(asked).body(), StandardCharsets.UTF_8);
            long series = text.lines().filter(line -> !line.startsWith("#")).count();
            System.out.printf(
                    Locale.ROOT,
                    "%d leases: %d series, %.1f KiB; the first scrape %.0f ms%n",
                    leases,
                    series,
                    text.length() / 1024.0,
                    first / 1e6);
            System.out.println("                             p50 ms    p99 ms");
            print("scrape", pages);
            print("summary of the pool", summaries);
            print("view of the pool", views);
            print("its lock held at a time", holds);
        }
    }

    private static void print(String name, Measurement took) {
        System.out.printf(Locale.ROOT, "%-25s %9.4f %9.4f%n", name, took.p50Millis(), took.p99Millis());
    }

    private static Sources sources(EngineAddWriter engine, Path directory) {
        SystemTime time = new SystemTime();
        return new Sources(
                new Sources.Daemon("bench", new EventCounts(), () -> true, () -> true),
                time,
                engine.engine(),
                new Sources.Database(engine.db(), directory, path -> 0, LeaseHistory.NONE, Map::of),
                new Meters(time, new ApiCallLog(time, new SplittableRandom(1), Map.of())),
                Optional.of(new Sources.Cloud(List::of, () -> true)),
                Optional.empty(),
                new Sources.Plugins(List::of, List::of, List::of));
    }

    /** How long the lock of such a pool was held by a view, at most at a time. */
    private static Measurement holds(int resources) throws Exception {
        ResourcePool pool = PoolBench.pool(PoolBench.resources(resources));
        long[] times = new long[ROUNDS];
        for (int i = -ROUNDS; i < ROUNDS; i++) {
            pool.view();
            times[Math.max(i, 0)] = pool.longestHoldOfView().toNanos();
        }
        return Measurement.of(1, List.of(times));
    }

    private static Measurement measured(Callable<Object> work) throws Exception {
        for (int i = 0; i < ROUNDS; i++) { // warm up
            work.call();
        }
        long[] times = new long[ROUNDS];
        long from = System.nanoTime();
        for (int i = 0; i < ROUNDS; i++) {
            times[i] = took(work);
        }
        return Measurement.of(System.nanoTime() - from, List.of(times));
    }

    private static long took(Callable<Object> work) throws Exception {
        long from = System.nanoTime();
        work.call();
        return System.nanoTime() - from;
    }
}

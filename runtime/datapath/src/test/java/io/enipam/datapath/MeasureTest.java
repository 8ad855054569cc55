package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.lab.Lab;
import io.enipam.datapath.lab.RealKernel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** How long the kernel's part of an ADD and of a DEL takes. Measures on demand: {@code -Ddatapath.measure=true}. */
@RealKernel
@EnabledIfSystemProperty(named = "datapath.measure", matches = "true", disabledReason = "measures on demand")
final class MeasureTest {
    private static final int PODS = 100;

    @TempDir
    Path records;

    @Test
    void one_and_eight_at_a_time() throws Exception {
        try (Lab lab = new Lab(records)) {
            List<String> namespaces = new ArrayList<>();
            for (int i = 0; i < PODS; i++) {
                namespaces.add(lab.namespace("m" + i));
            }
            for (int atOnce : new int[] {1, 1, 8}) {
                say(
                        lab,
                        "ADD",
                        atOnce,
                        i -> lab.datapath.setUp(lab.pod("m" + i, namespaces.get(i), "10.9.0." + (20 + i) + "/24")));
                say(lab, "DEL", atOnce, i -> lab.datapath.tearDown(Lab.owner("m" + i)));
            }
            assertThat(Lab.done(lab.datapath.attached())).isEmpty();
        }
    }

    private static void say(Lab lab, String verb, int atOnce, IntFunction<CompletionStage<?>> call) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(atOnce);
        long starts = lab.datapath.processStarts();
        List<Future<Long>> calls = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            int pod = i;
            calls.add(callers.submit(() -> {
                long begun = System.nanoTime();
                Lab.done(call.apply(pod));
                return System.nanoTime() - begun;
            }));
        }
        List<Long> took = new ArrayList<>();
        for (Future<Long> one : calls) {
            took.add(one.get());
        }
        callers.shutdown();
        Collections.sort(took);
        System.out.printf(
                "%s, %d at once: p50 %.1f ms, p99 %.1f ms, %.2f process starts each%n",
                verb,
                atOnce,
                took.get(PODS / 2) / 1e6,
                took.get(PODS * 99 / 100) / 1e6,
                (lab.datapath.processStarts() - starts) / (double) PODS);
    }
}

package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.port.ResourceDb;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed with -9 in the middle of its commits, again and again, on the same database. */
class KillTest {
    private static final int ROUNDS = Integer.getInteger("enipam.store.kills", 8);

    @TempDir
    Path directory;

    @Test
    void everythingAcknowledgedSurvivesKillNine() throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom();
        Set<Integer> acknowledged = new HashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Killed.class.getName(),
                            directory.toString(),
                            Integer.toString(round * 1_000_000))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            int untilKilled = 1 + random.nextInt(400);
            try (BufferedReader out = process.inputReader()) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    acknowledged.add(Integer.parseInt(line));
                    if (--untilKilled == 0) {
                        process.toHandle().destroyForcibly(); // unlike the process's own, leaves its output readable
                    }
                }
            }
            process.waitFor();
            try (ResourceDb db = JournaledResourceDb.open(directory)) {
                assertThat(Samples.leases(db)).as("after kill %d", round).containsAll(acknowledged);
            }
        }
        assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(ROUNDS);
    }
}

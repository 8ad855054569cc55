package io.enipam.store;

import static io.enipam.store.TestRecords.SMALL;
import static io.enipam.store.TestRecords.keys;
import static io.enipam.store.TestRecords.resource;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.port.ResourceDb;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real process, really killed, in one directory again and again. */
class KillTest {
    private static final int ROUNDS = Integer.getInteger("enipam.store.kills", 10);

    @TempDir
    Path temp;

    @Test
    @Timeout(300)
    void whateverWasAcknowledgedBeforeKill9IsThereAfterItAndNoCommitIsThereByHalf() throws Exception {
        Random random = new Random(5);
        int start = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int[] last = lastAcknowledged(start, 20 + random.nextInt(500));
            try (ResourceDb db = JournaledResourceDb.open(temp, SMALL)) {
                Set<Integer> leases = numbers(keys(db, "leases"));
                assertThat(numbers(keys(db, "intents"))).as("round %s", round).isEqualTo(leases);
                assertThat(keys(db, "reservations"))
                        .as("round %s", round)
                        .containsExactlyInAnyOrderElementsOf(leases.stream()
                                .flatMap(n -> CommittingProcess.FACTORIES.stream()
                                        .map(made -> made + "/" + resource(n).id()))
                                .toList());
                for (int thread = 0; thread < last.length; thread++) {
                    start = Math.max(start, checkThread(thread, last[thread], leases) + 1);
                }
            }
        }
    }

    /** The thread's last number in the database; it is the last acknowledged one or the one that was under way. */
    private static int checkThread(int thread, int last, Set<Integer> leases) {
        int base = thread * CommittingProcess.SPAN;
        TreeSet<Integer> mine = leases.stream()
                .filter(n -> n / CommittingProcess.SPAN == thread)
                .map(n -> n - base)
                .collect(Collectors.toCollection(TreeSet::new));
        if (last >= 0) {
            assertThat(mine).as("thread %s, acknowledged %s", thread, last).contains(last);
            assertThat(mine.last()).isIn(last, last + 1);
        }
        return mine.isEmpty() ? -1 : mine.last();
    }

    /** Runs the process, kills it after some lines; each thread's last printed number, or -1. */
    private int[] lastAcknowledged(int start, int lines) throws IOException, InterruptedException {
        Process process = ChildJvm.start(CommittingProcess.class, temp.toString(), Integer.toString(start));
        int[] last = new int[CommittingProcess.THREADS];
        Arrays.fill(last, -1);
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            String line = out.readLine();
            assertThat(line).as("the process's first line").isNotNull();
            assertThatThrownBy(() -> JournaledResourceDb.open(temp, SMALL))
                    .isInstanceOf(StoreException.class)
                    .hasMessage(temp + " is in use by another process (pid " + process.pid() + ")");
            for (int read = 1; line != null; read++) {
                if (read == lines) {
                    process.toHandle().destroyForcibly(); // the process's own method would close the stream as well
                }
                if (line.endsWith(";")) { // else the kill cut the line
                    int n = Integer.parseInt(line.replace(";", ""));
                    int thread = n / CommittingProcess.SPAN;
                    last[thread] = Math.max(last[thread], n % CommittingProcess.SPAN);
                }
                line = out.readLine();
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        return last;
    }

    private static Set<Integer> numbers(List<String> keys) {
        Set<Integer> numbers = new HashSet<>();
        for (String key : keys) {
            String digits = key.replaceAll("^(cbr0/sandbox-|token-)(\\d+).*$", "$2");
            numbers.add(Integer.valueOf(digits));
        }
        return numbers;
    }
}

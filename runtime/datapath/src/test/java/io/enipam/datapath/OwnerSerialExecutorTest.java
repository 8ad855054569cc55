package io.enipam.datapath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.datapath.DatapathExecutor.OwnerSerialExecutor;
import io.enipam.engine.model.OwnerKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class OwnerSerialExecutorTest {
    private static final OwnerKey ONE = new OwnerKey("enipam", "one", "eth0");
    private static final OwnerKey OTHER = new OwnerKey("enipam", "other", "eth0");

    @AutoClose
    private final DatapathExecutor workers = new DatapathExecutor();

    private final OwnerSerialExecutor turns = new OwnerSerialExecutor(workers);

    @Test
    void whatIsAskedForOneOwnerIsDoneInTheOrderInWhichItWasAsked() {
        List<Integer> done = Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Boolean>> asked = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            int number = i;
            asked.add(turns.run(ONE, () -> done.add(number)));
        }
        asked.forEach(stage -> stage.orTimeout(60, TimeUnit.SECONDS).join());
        assertThat(done).isEqualTo(IntStream.range(0, 500).boxed().toList());
        assertThat(turns.busy()).isZero();
    }

    @Test
    void manyThatWaitForOneOwnerTakeNoThreadFromAnother() {
        CountDownLatch gate = new CountDownLatch(1);
        List<CompletableFuture<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            waiting.add(turns.run(ONE, () -> await(gate)));
        }
        assertThat(turns.run(OTHER, () -> "served")
                        .orTimeout(60, TimeUnit.SECONDS)
                        .join())
                .isEqualTo("served");
        gate.countDown();
        waiting.forEach(stage -> stage.orTimeout(60, TimeUnit.SECONDS).join());
    }

    @Test
    void aFailureDoesNotEndTheTurnsOfThoseBehindNorDoesWhoEndsHisOwnCopy() {
        CountDownLatch gate = new CountDownLatch(1);
        CompletableFuture<Boolean> impatient = turns.run(ONE, () -> await(gate));
        CompletableFuture<?> failing = turns.run(ONE, () -> {
            throw new IllegalStateException("told");
        });
        CompletableFuture<Long> last = turns.run(ONE, gate::getCount);
        impatient.cancel(true);
        assertThat(last).isNotDone();
        gate.countDown();
        assertThat(last.orTimeout(60, TimeUnit.SECONDS).join()).isZero();
        assertThatThrownBy(failing::join).hasMessageContaining("told");
    }

    private static boolean await(CountDownLatch gate) {
        try {
            return gate.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

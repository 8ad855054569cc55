package io.enipam.daemon.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.daemon.campaign.Campaign.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Many seeds of the campaign, some at a time: most of a seed is waiting. {@code -Denipam.campaign.seeds=N} runs more of them,
 * {@code -Denipam.campaign.seed=S} one alone, {@code -Denipam.campaign.times=T} times: threads are no part of a seed.
 */
class FaultCampaignTest {
    private static final Logger LOG = LoggerFactory.getLogger(FaultCampaignTest.class);
    private static final int AT_A_TIME = 16;

    @TempDir
    Path directory;

    @Test
    void whateverTheCloudDoesNoAddressIsDoubledAndNothingLeaks() throws Exception {
        List<Long> seeds = Long.getLong("enipam.campaign.seed") != null
                ? Collections.nCopies(
                        Integer.getInteger("enipam.campaign.times", 1), Long.getLong("enipam.campaign.seed"))
                : LongStream.rangeClosed(1, Integer.getInteger("enipam.campaign.seeds", 100))
                        .boxed()
                        .toList();
        Map<Long, String> wrong = new ConcurrentSkipListMap<>();
        AtomicReference<Outcome> sum = new AtomicReference<>(Outcome.NONE);
        ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
        seeds.forEach(seed -> threads.execute(() -> {
            try {
                sum.accumulateAndGet(Campaign.run(seed, fresh(seed)), Outcome::plus);
            } catch (IOException | RuntimeException | AssertionError e) {
                wrong.put(seed, String.valueOf(e.getMessage()));
            }
        }));
        threads.shutdown();

        assertThat(threads.awaitTermination(20, TimeUnit.MINUTES)).isTrue();
        LOG.info("{} seeds came to {}", seeds.size(), sum);
        assertThat(wrong)
                .as(
                        "replay one with mvn -pl runtime/daemon -am test -Dtest=FaultCampaignTest -Denipam.campaign.seed=SEED"
                                + " -Dsurefire.failIfNoSpecifiedTests=false")
                .isEmpty();
    }

    private Path fresh(long seed) throws IOException {
        return Files.createTempDirectory(directory, "seed-" + seed + "-");
    }
}

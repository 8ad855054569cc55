package io.enipam.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HealingBackoffTest {
    private final AtomicLong nanos = new AtomicLong(-5); // System.nanoTime may be negative
    private final HealingBackoff pace = new HealingBackoff(nanos::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void there_is_nothing_to_try_while_all_is_well() {
        assertThat(pace.untilDue()).isEqualTo(Long.MAX_VALUE);
        assertThat(pace.isDue()).isFalse();
    }

    @Test
    void the_first_try_is_due_at_once_and_each_further_one_after_twice_the_pause_but_no_more_than_five_seconds() {
        pace.failureBegan();
        assertThat(pace.isDue()).isTrue();
        for (long pause : new long[] {200, 400, 800, 1600, 3200, 5000, 5000}) {
            pace.failed();
            assertThat(pace.untilDue()).isEqualTo(Duration.ofMillis(pause).toNanos());
            pass(Duration.ofMillis(pause));
            assertThat(pace.isDue()).isTrue();
        }
    }

    @Test
    void a_disk_that_seems_healed_and_fails_with_the_next_write_is_not_tried_at_once_again() {
        pace.failureBegan();
        pace.healed();
        pace.failureBegan();
        assertThat(pace.isDue()).isFalse();
        pass(Duration.ofMillis(200));
        assertThat(pace.isDue()).isTrue();
        pace.healed();
        pace.failureBegan();
        assertThat(pace.untilDue()).isEqualTo(Duration.ofMillis(400).toNanos());
    }

    @Test
    void once_something_was_written_the_next_trouble_is_tried_at_once() {
        pace.failureBegan();
        pace.failed();
        pace.failed();
        pace.healed();
        pace.isHealthy();
        pace.failureBegan();
        assertThat(pace.isDue()).isTrue();
    }

    @Test
    void commits_that_still_fit_while_there_is_no_new_file_do_not_hasten_the_tries() {
        pace.failed();
        pace.isHealthy();
        pace.failed();
        assertThat(pace.untilDue()).isEqualTo(Duration.ofMillis(400).toNanos());
    }
}

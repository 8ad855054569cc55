package io.enipam.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActivityTest {
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    @Test
    void anIntervalHasALength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Activity(Duration.ZERO, List.of(), List.of(), Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Activity(INTERVAL.negated(), List.of(), List.of(), Duration.ZERO));
    }

    @Test
    void bothHistoriesCoverTheSameTime() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Activity(INTERVAL, List.of(1, 2), List.of(1), Duration.ZERO));
    }

    @Test
    void nothingHasHappenedYetIsAnEmptyHistory() {
        assertThat(Activity.NONE.lent()).isEmpty();
        assertThat(Activity.NONE.returned()).isEmpty();
        assertThat(Activity.NONE.createTime()).isZero();
    }

    @Test
    void aHistoryDoesNotChangeAfterwards() {
        List<Integer> lent = new ArrayList<>(List.of(1, 2));
        Activity activity = new Activity(INTERVAL, lent, List.of(0, 1), Duration.ofSeconds(3));
        lent.clear();
        assertThat(activity.lent()).containsExactly(1, 2);
    }
}

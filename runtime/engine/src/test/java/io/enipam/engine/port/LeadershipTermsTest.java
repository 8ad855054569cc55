package io.enipam.engine.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What followers hear of the terms of a replica. */
class LeadershipTermsTest {
    private static final Duration TEN = Duration.ofSeconds(10);

    private final VirtualTime time = new VirtualTime();
    private final LeadershipTerms terms = new LeadershipTerms(time, time);
    private final List<Boolean> heard = new ArrayList<>();

    private boolean renewed() {
        return terms.renewed(time.nanoTime() + TEN.toNanos());
    }

    @Test
    void aFollowerHearsWhatIsSoOnTheEnginesThreads() {
        terms.follow(heard::add);
        assertThat(heard).isEmpty();
        time.settle();
        assertThat(heard).containsExactly(false);

        renewed();
        terms.follow(heard::add);
        assertThat(heard).containsExactly(false);
        time.settle();
        assertThat(heard).containsExactly(false, true, true);
    }

    @Test
    void aTermThatIsRenewedIsToldOnceAndRunsOutWithoutAWord() {
        terms.follow(heard::add);
        assertThat(renewed()).isTrue();
        time.advance(Duration.ofSeconds(9));
        assertThat(renewed()).isFalse();
        time.advance(Duration.ofSeconds(9));
        assertThat(terms.running()).isTrue();
        assertThat(heard).containsExactly(true);

        time.advance(Duration.ofSeconds(1));
        assertThat(terms.running()).isFalse();
        assertThat(heard).containsExactly(true, false);
        assertThat(terms.end()).isTrue();
        assertThat(terms.end()).isFalse();
        time.settle();
        assertThat(heard).containsExactly(true, false);
    }

    @Test
    void aTermThatEndedUnnoticedIsToldBeforeTheNextOne() {
        terms.follow(heard::add);
        renewed();
        time.settle();

        terms.end();
        assertThat(renewed()).isTrue();
        time.settle();

        assertThat(heard).containsExactly(true, false, true);
    }

    @Test
    void noTermBeginsAfterTheClose() {
        terms.follow(heard::add);
        renewed();
        time.settle();

        terms.close();
        assertThat(terms.running()).isFalse();
        assertThat(renewed()).isFalse();
        time.advance(TEN);

        assertThat(terms.running()).isFalse();
        assertThat(heard).containsExactly(true, false);
    }

    @Test
    void aFollowerThatFailsAtTheEndOfATermHearsOfTheNextOne() {
        terms.follow(leads -> {
            heard.add(leads);
            if (!leads) {
                throw new IllegalStateException("no end is wanted");
            }
        });
        renewed();
        time.settle();
        terms.end();
        renewed();

        assertThatThrownBy(time::settle).hasMessage("no end is wanted");
        assertThat(heard).containsExactly(true, false, true);
    }
}

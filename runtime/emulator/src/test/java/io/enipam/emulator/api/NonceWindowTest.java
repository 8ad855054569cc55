package io.enipam.emulator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.emulator.api.Authenticator.NonceWindow;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class NonceWindowTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void aNonceIsFirstOnceUntilItExpires() {
        NonceWindow window = new NonceWindow(10);

        assertThat(window.first("a", NOW.plusSeconds(60), NOW)).isTrue();
        assertThat(window.first("a", NOW.plusSeconds(60), NOW.plusSeconds(59))).isFalse();
        assertThat(window.first("b", NOW.plusSeconds(900), NOW.plusSeconds(61))).isTrue();
        assertThat(window.first("a", NOW.plusSeconds(900), NOW.plusSeconds(61))).isTrue();
    }

    @Test
    void theOldestNonceIsForgottenWhenTheWindowIsFull() {
        NonceWindow window = new NonceWindow(2);
        window.first("a", NOW.plusSeconds(900), NOW);
        window.first("b", NOW.plusSeconds(900), NOW);
        window.first("c", NOW.plusSeconds(900), NOW);

        assertThat(window.first("c", NOW.plusSeconds(900), NOW)).isFalse();
        assertThat(window.first("b", NOW.plusSeconds(900), NOW)).isFalse();
        assertThat(window.first("a", NOW.plusSeconds(900), NOW)).isTrue();
    }
}

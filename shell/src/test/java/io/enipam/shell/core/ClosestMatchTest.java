package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClosestMatchTest {
    private static final List<String> NAMES = List.of("status", "version", "pool", "pod", "events", "exit", "--output");

    @ParameterizedTest
    @CsvSource({
        "stauts, status",
        "STATUS, status",
        "stat, status",
        "pol, pool",
        "poool, pool",
        "evnts, events",
        "--ouput, --output"
    })
    void findsWhatWasMeant(String word, String name) {
        assertThat(ClosestMatch.to(word, NAMES)).contains(name);
    }

    @Test
    void doesNotGuessWildly() {
        assertThat(ClosestMatch.to("frobnicate", NAMES)).isEmpty();
        assertThat(ClosestMatch.to("zz", NAMES)).isEmpty();
    }
}

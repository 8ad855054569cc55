package io.enipam.daemon.plugin.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WordsTest {
    @Test
    void whatAPluginSaysIsOneLineWithoutTricks() {
        assertThat(Words.line("a\nb\tc\u001b[0m")).isEqualTo("a b c [0m");
        assertThat(Words.line("left\u202eright\u2028next")).isEqualTo("leftright next");
        assertThat(Words.line(null)).isEqualTo("nothing");
        assertThat(Words.line("ü 字")).isEqualTo("ü 字");
    }

    @Test
    void atMostFiveHundredCharacters() {
        assertThat(Words.line("x".repeat(500))).hasSize(500).doesNotEndWith("...");
        assertThat(Words.line("x".repeat(501))).hasSize(500).endsWith("...");
    }
}

package io.enipam.pluginhost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PluginTextTest {
    @Test
    void whatAPluginSaysIsOneLineWithoutTricks() {
        assertThat(PluginText.line("a\nb\tc\u001b[0m")).isEqualTo("a b c [0m");
        assertThat(PluginText.line("left\u202eright\u2028next")).isEqualTo("leftright next");
        assertThat(PluginText.line(null)).isEqualTo("nothing");
        assertThat(PluginText.line("ü 字")).isEqualTo("ü 字");
    }

    @Test
    void atMostFiveHundredCharacters() {
        assertThat(PluginText.line("x".repeat(500))).hasSize(500).doesNotEndWith("...");
        assertThat(PluginText.line("x".repeat(501))).hasSize(500).endsWith("...");
    }
}

package io.enipam.shell.attach;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShellExceptionTest {
    @Test
    void theLineSaysWhatFailedWhyAndWhatToDoInWholeSentences() {
        ShellException e =
                new ShellException(ExitStatus.REFUSED, "POOL_EXHAUSTED", "capacity 6, in use 6", "delete a pod");

        assertThat(e.line("cni add")).isEqualTo("cni add failed: capacity 6, in use 6 (POOL_EXHAUSTED). Delete a pod");
    }

    @Test
    void aHintThatBeginsWithACommandStaysAsItIs() {
        ShellException e = new ShellException(ExitStatus.REFUSED, "", "no record", "'db dump' shows all");

        assertThat(e.sentence()).isEqualTo("no record. 'db dump' shows all");
    }
}

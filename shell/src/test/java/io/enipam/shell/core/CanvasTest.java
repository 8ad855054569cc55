package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jline.builtins.ScreenTerminal;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a terminal shows of what was drawn, by a terminal that is played by JLine. */
class CanvasTest {
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    @AutoClose
    private Terminal terminal;

    @BeforeEach
    void open() throws IOException {
        terminal = new LineDisciplineTerminal("test", "xterm-256color", sent, StandardCharsets.UTF_8);
        terminal.setSize(new Size(40, 6));
    }

    @Test
    void theSecondFrameSendsOnlyTheLinesThatDiffer() throws IOException {
        try (Canvas canvas = new Canvas(terminal)) {
            canvas.draw(List.of("one", "two", "three"));
            String before = drain();
            canvas.draw(List.of("one", "TWO", "three"));
            String change = drain();

            assertThat(change).contains("TWO").doesNotContain("one").doesNotContain("three");
            assertThat(shown(before + change)).startsWith("one").contains("TWO").doesNotContain("two");
        }
    }

    @Test
    void aShorterFrameLeavesNothingOfTheLongerOne() throws IOException {
        try (Canvas canvas = new Canvas(terminal)) {
            canvas.draw(List.of("a long first line", "second", "third"));
            canvas.draw(List.of("short"));

            assertThat(shown(drain()).strip()).isEqualTo("short");
        }
    }

    @Test
    void theScreenBeforeComesBackWithItsCursorAndNothingIsDrawnAfterwards() throws IOException {
        Canvas canvas = new Canvas(terminal);
        canvas.draw(List.of("one"));
        canvas.close();
        String all = drain();
        canvas.draw(List.of("late"));
        canvas.close();

        assertThat(all).contains("\u001b[?1049h", "\u001b[?25l");
        assertThat(all.indexOf("\u001b[?1049l")).isGreaterThan(all.indexOf("one"));
        assertThat(all.lastIndexOf("\u001b[?25h")).isGreaterThan(all.indexOf("one"));
        assertThat(drain()).isEmpty();
    }

    @Test
    void afterAResizeAllOfItIsDrawnAnew() throws IOException {
        try (Canvas canvas = new Canvas(terminal)) {
            canvas.draw(List.of("one", "two"));
            drain();
            canvas.forget();
            canvas.draw(List.of("one", "two"));

            assertThat(drain()).contains("one", "two");
        }
    }

    private String drain() throws IOException {
        terminal.flush();
        sent.flush();
        String text = sent.toString(StandardCharsets.UTF_8);
        sent.reset();
        return text;
    }

    private static String shown(String bytes) throws IOException {
        ScreenTerminal screen = new ScreenTerminal(40, 6);
        screen.write(bytes);
        return screen.toString();
    }
}

package io.enipam.shell.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProseTest {
    @Test
    void aLineGoesOnAtAWordAndFurtherInThanItBegan() {
        assertThat(Prose.fitted(List.of("  the address cools down until noon", "short"), 20))
                .containsExactly("  the address cools", "      down until", "      noon", "short");
        assertThat(Prose.fitted(List.of("any width at all"), 0)).containsExactly("any width at all");
    }

    @Test
    void aWordThatIsLongerThanALineIsBroken() {
        assertThat(Prose.wrapped("a " + "x".repeat(25), 10, 0))
                .containsExactly("a", "xxxxxxxxxx", "xxxxxxxxxx", "xxxxx");
    }

    @Test
    void tonesAndWideCharactersTakeWhatTheyTakeOnTheTerminal() {
        String red = Palette.COLOUR.paint(Tone.BAD, "lost by all");

        assertThat(Prose.wrapped(red, 11, 0)).containsExactly(red);
        assertThat(Prose.wrapped(red, 7, 0).stream().map(Palette::plain)).containsExactly("lost by", "all");
        assertThat(Prose.wrapped("\u5bb9\u5668 \u5bb9\u5668", 5, 0)).containsExactly("\u5bb9\u5668", "\u5bb9\u5668");
    }
}

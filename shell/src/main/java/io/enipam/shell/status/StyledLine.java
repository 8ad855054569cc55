package io.enipam.shell.status;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.Tone;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.WCWidth;

/** A line under construction: pieces of text in their tones, cut at the right edge by what they take on a terminal. */
final class StyledLine {
    private record Piece(Tone tone, String text) {}

    private final List<Piece> pieces = new ArrayList<>();
    private int width;
    private String name = "";
    private List<List<String>> commands = List.of();

    /** Names a line that commands say more of, each of so many words. */
    StyledLine opens(String itsName, List<List<String>> words) {
        name = itsName;
        commands = words;
        return this;
    }

    /** The same for one command, by whose words it is named. */
    StyledLine opens(String label, String... words) {
        return opens(label + " " + String.join(" ", words), List.of(List.of(words)));
    }

    /** Tells it from the other lines; empty if no command says more of it. */
    String name() {
        return name;
    }

    List<List<String>> commands() {
        return commands;
    }

    StyledLine add(Tone tone, String text) {
        String clean = Palette.clean(text);
        pieces.add(new Piece(tone, clean));
        width += Table.width(clean);
        return this;
    }

    StyledLine add(String text) {
        return add(Tone.PLAIN, text);
    }

    /** Goes on at this column, or after one blank if that is passed already. */
    StyledLine to(int column) {
        return add(" ".repeat(Math.max(pieces.isEmpty() ? 0 : 1, column - width)));
    }

    StyledLine right(int column, Tone tone, String text) {
        return add(" ".repeat(Math.max(0, column - width - Table.width(text)))).add(tone, text);
    }

    String in(Palette palette, int most) {
        StringBuilder line = new StringBuilder();
        int left = most;
        for (Piece piece : pieces) {
            String text = clipped(piece.text(), left);
            left -= Table.width(text);
            line.append(palette.paint(piece.tone(), text));
        }
        return line.toString().stripTrailing();
    }

    private static String clipped(String text, int most) {
        int taken = 0;
        int end = 0;
        while (end < text.length()) {
            int c = text.codePointAt(end);
            taken += Math.max(0, WCWidth.wcwidth(c));
            if (taken > most) {
                break;
            }
            end += Character.charCount(c);
        }
        return text.substring(0, end);
    }
}

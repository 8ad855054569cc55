package io.enipam.shell.core;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How much a terminal shows.
 *
 * @param columns cells of a line
 * @param rows lines
 */
public record TerminalSize(int columns, int rows) {
    /** Of the terminal that the program runs on; empty if it cannot be had. It takes a few milliseconds: for tables on a terminal. */
    public static Optional<TerminalSize> ofTerminal() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            if (!stty.waitFor(1, TimeUnit.SECONDS) || !answer.matches("[1-9][0-9]{0,4} [1-9][0-9]{0,4}")) {
                return Optional.empty();
            }
            String[] figures = answer.split(" ");
            return Optional.of(new TerminalSize(Integer.parseInt(figures[1]), Integer.parseInt(figures[0])));
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}

package io.enipam.shell.pipe;

import java.nio.file.Path;

/**
 * {@code > FILE} or {@code >> FILE}.
 *
 * @param append whether what is in the file stays
 */
public record Redirect(Path file, boolean append) {
    @Override
    public String toString() {
        return (append ? ">> " : "> ") + file;
    }
}

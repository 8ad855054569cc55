package io.enipam.shell.core;

import java.nio.file.Path;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** The option {@code --force} of what writes a file of this machine. */
public final class ForceOption {
    private static final String NAME = "--force";

    @Option(
            names = {"-f", NAME},
            description = "Replace the file if it is there.")
    boolean force;

    /** As {@link AtomicOutputFile#begin}. */
    public AtomicOutputFile begin(Path file) {
        return AtomicOutputFile.begin(file, force, NAME);
    }

    /** As {@link AtomicOutputFile#write}. */
    public void write(Path file, Supplier<String> text) {
        AtomicOutputFile.write(file, force, NAME, text);
    }
}
